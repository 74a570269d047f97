import { lookup as systemLookup, Resolver as CaresResolver } from 'node:dns/promises';
import { errorCode } from './egress-error';

export type DnsFailure =
  /** There is no such name. */
  | 'not_found'
  /** The name exists without a record of the wanted type. */
  | 'no_data'
  /** No server answered in time. */
  | 'timeout'
  /** A server answered that it cannot or will not say, or could not be reached at all. */
  | 'server_failed';

export class DnsError extends Error {
  constructor(
    readonly kind: DnsFailure,
    cause?: unknown,
  ) {
    super(`DNS: ${kind}`, cause === undefined ? undefined : { cause });
    this.name = 'DnsError';
  }
}

export type LookupOptions = Readonly<{
  signal?: AbortSignal;
  /** Also use localhost and the system's own tables, which name private machines. */
  privateNames?: boolean;
}>;

export type Resolver = Readonly<{
  /** Every IPv4 and IPv6 address of a name, IPv4 first; never an empty list. Throws DnsError. */
  addresses(name: string, options?: LookupOptions): Promise<readonly string[]>;
  /** Those of a lookup that was made just now, if there was one. */
  known?(name: string, options: Pick<LookupOptions, 'privateNames'>): readonly string[] | undefined;
  /** The TXT records of a name, the strings of each joined. Throws DnsError. */
  txt(name: string, options?: LookupOptions): Promise<readonly string[]>;
}>;

export type ResolverOptions = Readonly<{
  /** `host:port` of each DNS server to ask, addresses only; the system's servers when absent or empty. */
  servers?: readonly string[];
  /** The longest a lookup may take, retries and aliases included. */
  timeoutMs?: number;
}>;

const MAX_ALIASES = 8;

export function createResolver({ servers = [], timeoutMs = 5000 }: ResolverOptions = {}): Resolver {
  // Each lookup has its own channel: it can be cancelled alone, caches nothing, and uses a fresh source port.
  const openChannel = (): CaresResolver => {
    const channel = new CaresResolver({ timeout: Math.max(1, Math.ceil(timeoutMs / 4)), tries: 3 });
    if (servers.length > 0) channel.setServers(servers);
    return channel;
  };
  // An invalid server address must fail the start, not the first lookup.
  openChannel();

  /** Runs a lookup until it is done, times out or is aborted; whatever it still has in flight is cancelled. */
  const bounded = async <T>(
    signal: AbortSignal | undefined,
    work: (channel: CaresResolver) => Promise<T>,
  ): Promise<T> => {
    signal?.throwIfAborted();
    const channel = openChannel();
    let stop: (reason: Error) => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => (stop = reject));
    const onAbort = (): void => stop(signal?.reason as Error);
    const timer = setTimeout(() => stop(new DnsError('timeout')), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([work(channel), stopped]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      channel.cancel();
    }
  };

  const addresses = async (channel: CaresResolver, name: string, privateNames: boolean): Promise<string[]> => {
    const useSystemTables = privateNames && servers.length === 0;
    if (useSystemTables && !name.includes('.')) return fromSystemTables(name);
    try {
      return await followingAliases(channel, name, addressesOf);
    } catch (error) {
      const absent = error instanceof DnsError && (error.kind === 'not_found' || error.kind === 'no_data');
      if (useSystemTables && absent) return fromSystemTables(name);
      throw error;
    }
  };

  return {
    addresses: async (name, { signal, privateNames = false } = {}) => {
      // These names mean this machine everywhere; no DNS server is asked for them.
      if (privateNames && /(^|\.)localhost$/.test(name)) return ['127.0.0.1', '::1'];
      return bounded(signal, (channel) => addresses(channel, name, privateNames));
    },
    txt: (name, { signal } = {}) => bounded(signal, (channel) => followingAliases(channel, name, textsOf)),
  };
}

async function addressesOf(channel: CaresResolver, name: string): Promise<string[]> {
  const families = await Promise.allSettled([channel.resolve4(name), channel.resolve6(name)]);
  const found = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  if (found.length > 0) return found;
  // Neither family has an address: a server that could not answer outweighs one that denies.
  const failures = families.flatMap((family) => (family.status === 'rejected' ? [dnsError(family.reason)] : []));
  const gravest = (['timeout', 'server_failed', 'no_data', 'not_found'] as const)
    .map((kind) => failures.find((failure) => failure.kind === kind))
    .find((failure) => failure !== undefined);
  throw gravest ?? new DnsError('no_data');
}

async function textsOf(channel: CaresResolver, name: string): Promise<string[]> {
  const records = await channel.resolveTxt(name).catch((error: unknown) => Promise.reject(dnsError(error)));
  // A response with nothing but an alias arrives as an empty list.
  if (records.length === 0) throw new DnsError('no_data');
  return records.map((strings) => strings.join(''));
}

/** Recursive servers follow aliases themselves; if a server returns the bare alias, it is followed from here. */
async function followingAliases<T>(
  channel: CaresResolver,
  name: string,
  query: (channel: CaresResolver, name: string) => Promise<T>,
): Promise<T> {
  let current = name;
  for (let hops = 0; ; hops += 1) {
    try {
      return await query(channel, current);
    } catch (error) {
      if (!(error instanceof DnsError) || error.kind !== 'no_data' || hops === MAX_ALIASES) throw error;
      const [alias] = await channel.resolveCname(current).catch((): string[] => []);
      if (alias === undefined) throw error;
      current = alias;
    }
  }
}

async function fromSystemTables(name: string): Promise<string[]> {
  try {
    const entries = await systemLookup(name, { all: true, order: 'ipv4first' });
    return entries.map((entry) => entry.address);
  } catch (error) {
    throw dnsError(error);
  }
}

function dnsError(error: unknown): DnsError {
  switch (errorCode(error)) {
    case 'ENOTFOUND':
      return new DnsError('not_found', error);
    case 'ENODATA':
      return new DnsError('no_data', error);
    case 'ETIMEOUT':
      return new DnsError('timeout', error);
    default:
      return new DnsError('server_failed', error);
  }
}
