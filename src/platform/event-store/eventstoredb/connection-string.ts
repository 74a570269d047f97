import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { EventStoreDBClient } from '@eventstore/db-client';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';

/** An IPv6 address has no brackets, as in the nodes' own gossip. */
export type Endpoint = Readonly<{ address: string; port: number }>;

/** The contents of EVENTSTORE_URL, and clients with the same settings for one node. */
export type ConnectionString = Readonly<{
  endpoints: readonly Endpoint[];
  /** Several nodes, or a name under which they are discovered. */
  isCluster: boolean;
  /** Each `attempt` gets its own connection: channels with equal options would share one, even if it is dead. */
  clientOf(endpoint: Endpoint, attempt: number): EventStoreDBClient;
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
/** The shortest interval that the driver accepts without a warning. */
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
    clientOf: (endpoint, attempt) => {
      const keepAliveInterval = interval < 0 ? interval : interval + (attempt % ATTEMPTS);
      const keepAlive = [`keepAliveInterval=${keepAliveInterval}`, `keepAliveTimeout=${timeout}`];
      const { address, port } = endpoint;
      const clientAt = (host: string): EventStoreDBClient =>
        clientFor(`esdb://${login}${host}:${port}?${[...kept, ...keepAlive].join('&')}`);
      if (!isIPv6(address)) return clientAt(address);
      // The driver supports IPv6 addresses in its settings but not in URLs. The rest of the URL is validated as usual.
      clientAt('localhost');
      const settings = { endpoint: { address: `[${address}]`, port }, keepAliveInterval, keepAliveTimeout: timeout };
      return new EventStoreDBClient({ ...settings, ...namedIn(options) }, channelFor(options), userIn(login));
    },
    gossipCredentials: () => credentialsFor(options),
  };
}

/** The endpoint in gRPC's target syntax. */
export const targetOf = ({ address, port }: Endpoint): string =>
  isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;

function endpointIn(host: string): Endpoint {
  const [, literal, name, port = String(DEFAULT_PORT)] =
    /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(host.trim()) ?? [];
  const address = literal ?? name;
  // The URL may hold a password, so the message does not repeat it.
  if (address === undefined || (literal !== undefined && !isIPv6(literal)))
    throw new Error('EVENTSTORE_URL cannot be understood');
  return { address, port: Number(port) };
}

function clientFor(url: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(url);
  } catch {
    // The driver's own error quotes the URL, and with it the password.
    throw new Error('EVENTSTORE_URL cannot be understood');
  }
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

/** The functions below derive settings from the options as the driver does. */
function credentialsFor(options: ReadonlyMap<string, string>): ChannelCredentials {
  const { insecure, rootCertificate, userKeyFile, userCertFile } = channelFor(options);
  if (insecure) return credentials.createInsecure();
  return credentials.createSsl(rootCertificate ?? null, userKeyFile ?? null, userCertFile ?? null);
}

type Channel = NonNullable<ConstructorParameters<typeof EventStoreDBClient>[1]>;

function channelFor(options: ReadonlyMap<string, string>): Channel {
  if (valueIn(options, 'tls') === 'false') return { insecure: true };
  const fileIn = <Name extends string>(option: string, name: Name) => {
    const path = valueIn(options, option);
    return path === undefined ? {} : { [name]: readFileSync(decodeURIComponent(path)) };
  };
  return {
    insecure: false,
    ...fileIn('tlscafile', 'rootCertificate'),
    ...fileIn('userkeyfile', 'userKeyFile'),
    ...fileIn('usercertfile', 'userCertFile'),
  };
}

function namedIn(options: ReadonlyMap<string, string>) {
  const [deadline, name] = [valueIn(options, 'defaultdeadline'), valueIn(options, 'connectionname')];
  return {
    ...(deadline !== undefined && { defaultDeadline: Number.parseInt(deadline, 10) }),
    ...(name !== undefined && { connectionName: decodeURIComponent(name) }),
  };
}

function userIn(login: string) {
  const [username = '', password] = login.replace(/@$/, '').split(':').map(decodeURIComponent);
  return password === undefined ? undefined : { username, password };
}
