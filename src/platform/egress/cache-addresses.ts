import { type LookupOptions, type Resolver } from './resolver';

/** One that is still under way has no addresses yet, and no end. */
type Lookup = { readonly found: Promise<readonly string[]>; addresses?: readonly string[]; until: number };

export type AddressCacheOptions = Readonly<{ forMs?: number; max?: number }>;

/**
 * For bursts of requests to one name: its addresses are cached briefly, and simultaneous lookups are merged. Briefly,
 * because changes of a name must be followed; failures and TXT records are never cached.
 * The caller still has to check each address, cached or not.
 */
export function cacheAddresses(resolver: Resolver, { forMs = 2000, max = 1000 }: AddressCacheOptions = {}): Resolver {
  const lookups = new Map<string, Lookup>();

  const begin = (key: string, name: string, privateNames: boolean): Promise<readonly string[]> => {
    // One caller's signal must not end the lookup for the others: it runs under the resolver's own timeout.
    const found = resolver.addresses(name, { privateNames });
    const entry: Lookup = { found, until: Infinity };
    found.then(
      (addresses) => Object.assign(entry, { addresses, until: performance.now() + forMs }),
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

  const current = (key: string): Lookup | undefined => {
    const lookup = lookups.get(key);
    return lookup !== undefined && performance.now() < lookup.until ? lookup : undefined;
  };

  return {
    known: (name, { privateNames = false }) => current(keyOf(name, privateNames))?.addresses,
    txt: (name, options) => resolver.txt(name, options),
    async addresses(name, { signal, privateNames = false }: LookupOptions = {}) {
      signal?.throwIfAborted();
      const key = keyOf(name, privateNames);
      const found = current(key)?.found ?? begin(key, name, privateNames);
      return signal ? untilAborted(found, signal) : found;
    },
  };
}

const keyOf = (name: string, privateNames: boolean): string => `${privateNames} ${name}`;

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
