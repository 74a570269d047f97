import { type LookupOptions, type Resolver } from './resolver';

export type AddressCacheOptions = Readonly<{ forMs?: number; max?: number }>;

/**
 * For bursts of requests to one name: its addresses are cached briefly, and simultaneous lookups are merged. Briefly,
 * because changes of a name must be followed; failures and TXT records are never cached.
 * The caller still has to check each address, cached or not.
 */
export function cacheAddresses(resolver: Resolver, { forMs = 2000, max = 1000 }: AddressCacheOptions = {}): Resolver {
  const lookups = new Map<string, Readonly<{ found: Promise<readonly string[]>; until: () => number }>>();

  const begin = (key: string, name: string, privateNames: boolean): Promise<readonly string[]> => {
    let until = Infinity;
    // One caller's signal must not end the lookup for the others: it runs under the resolver's own timeout.
    const found = resolver.addresses(name, { privateNames });
    const entry = { found, until: () => until };
    found.then(
      () => (until = performance.now() + forMs),
      () => lookups.get(key) === entry && lookups.delete(key),
    );
    lookups.delete(key);
    lookups.set(key, entry);
    for (const oldest of lookups.keys()) {
      if (lookups.size <= max) break;
      lookups.delete(oldest);
    }
    return found;
  };

  return {
    txt: (name, options) => resolver.txt(name, options),
    async addresses(name, { signal, privateNames = false }: LookupOptions = {}) {
      signal?.throwIfAborted();
      const key = `${privateNames} ${name}`;
      const known = lookups.get(key);
      const found = known && performance.now() < known.until() ? known.found : begin(key, name, privateNames);
      return signal ? untilAborted(found, signal) : found;
    },
  };
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
