import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';

export type Endpoint = Readonly<{ address: string; port: number }>;

/** The contents of EVENTSTORE_URL, and driver URLs with the same settings for one node. */
export type ConnectionString = Readonly<{
  endpoints: readonly Endpoint[];
  /** Several nodes, or a name under which they are discovered. */
  isCluster: boolean;
  /** `attempt` gets a connection of its own: channels with equal options share one, even if it is dead. */
  urlOf(endpoint: Endpoint, attempt: number): string;
  gossipCredentials(): ChannelCredentials;
}>;

const KNOWN_OPTIONS: ReadonlySet<string> = new Set(
  [
    'userCertFile',
    'userKeyFile',
    'maxDiscoverAttempts',
    'connectionName',
    'defaultDeadline',
    'discoveryInterval',
    'gossipTimeout',
    'nodePreference',
    'tls',
    'tlsVerifyCert',
    'tlsCAFile',
    'keepAliveInterval',
    'keepAliveTimeout',
  ].map((option) => option.toLowerCase()),
);

const DEFAULT_PORT = 2113;
/** The shortest that the driver accepts without a warning. */
const KEEP_ALIVE_INTERVAL_MS = 10_000;
const KEEP_ALIVE_TIMEOUT_MS = 3_000;
/** How many distinct attempt numbers there are. */
const ATTEMPTS = 10_000;

export function parseConnectionString(url: string): ConnectionString {
  const [, discovers, login = '', hosts = '', query = ''] =
    /^(?:esdb|kurrentdb|kdb)(\+discover)?:\/\/([^@/?]*@)?([^/?]+)\/?(?:\?(.*))?$/.exec(url.trim()) ?? [];
  const options = optionsIn(query);
  const endpoints = hosts.split(',').map(endpointIn);
  const kept = [...options].filter(([name]) => !name.startsWith('keepalive')).map(([, text]) => text);
  const numberOf = (name: string, otherwise: number): number => Number(valueIn(options, name) ?? otherwise);
  const interval = numberOf('keepaliveinterval', KEEP_ALIVE_INTERVAL_MS);
  const timeout = numberOf('keepalivetimeout', KEEP_ALIVE_TIMEOUT_MS);
  return {
    endpoints,
    isCluster: discovers !== undefined || endpoints.length > 1,
    urlOf: ({ address, port }, attempt) => {
      const ownInterval = interval < 0 ? interval : interval + (attempt % ATTEMPTS);
      const keepAlive = [`keepAliveInterval=${ownInterval}`, `keepAliveTimeout=${timeout}`];
      return `esdb://${login}${address}:${port}?${[...kept, ...keepAlive].join('&')}`;
    },
    gossipCredentials: () => credentialsFor(options),
  };
}

function endpointIn(host: string): Endpoint {
  const [, address, port = String(DEFAULT_PORT)] = /^([^:]+)(?::(\d{1,5}))?$/.exec(host.trim()) ?? [];
  // The URL may hold a password, so the message does not repeat it.
  if (address === undefined) throw new Error('EVENTSTORE_URL cannot be understood');
  return { address, port: Number(port) };
}

/**
 * By option name as the driver compares it. For an option that the driver does not know or cannot honour, it warns on
 * the console and prints the whole URL, password included. Such a URL is a configuration mistake anyway, so it is
 * refused here, naming only the option.
 */
function optionsIn(query: string): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const part of query.split('&').filter((text) => text !== '')) {
    const [name = '', value = ''] = part.split('=');
    const option = name.trim().toLowerCase().replace(/[_-]/g, '');
    if (!KNOWN_OPTIONS.has(option)) throw new Error(`EVENTSTORE_URL has an unknown option "${name}"`);
    if (option === 'tlsverifycert' && value.trim() === 'false') {
      throw new Error(
        'EVENTSTORE_URL must not say tlsVerifyCert=false: the certificate is always verified, by tlsCAFile if that is given',
      );
    }
    options.set(option, part);
  }
  return options;
}

const valueIn = (options: ReadonlyMap<string, string>, name: string): string | undefined =>
  options.get(name)?.split('=')[1]?.trim();

/** As the driver derives them from the same options. */
function credentialsFor(options: ReadonlyMap<string, string>): ChannelCredentials {
  if (valueIn(options, 'tls') === 'false') return credentials.createInsecure();
  const fileIn = (name: string): Buffer | null => {
    const path = valueIn(options, name);
    return path === undefined ? null : readFileSync(decodeURIComponent(path));
  };
  return credentials.createSsl(fileIn('tlscafile'), fileIn('userkeyfile'), fileIn('usercertfile'));
}
