import { isIP } from 'node:net';
import { type TrustedProxies, trustedProxies } from '../kernel/caller-address';
import { parsedUrl, plainUrl } from '../kernel/parsed-url';
import { type SettlementWitnessConfig, settlementWitnesses } from './settlement-witness-setting';

/** Whether a process serves requests, does background work, or both. */
export type Role = (typeof ROLES)[number];
const ROLES = ['all', 'api', 'worker'] as const;

export type Config = Readonly<{
  role: Role;
  host: string;
  port: number;
  baseUrl: string;
  dataDir: string;
  eventStore: Readonly<{ kind: 'embedded' } | { kind: 'eventstoredb'; url: string }>;
  readStore: Readonly<{ kind: 'embedded' } | { kind: 'mongodb'; url: string }>;
  /** Undefined only on the embedded store, which keeps a generated one in the data directory. */
  serviceSecret: string | undefined;
  /** 32 bytes in hex; undefined derives the key from the service secret. */
  auditSigningKey: string | undefined;
  mailUrl: string;
  dnsServers: readonly string[];
  allowPrivateNetworks: boolean;
  enabledNetworks: readonly string[];
  /** The servers that are asked about settlements, by network. */
  settlementWitnesses: readonly SettlementWitnessConfig[];
  metricsToken: string | undefined;
  logLevel: LogLevel;
  rateLimits: boolean;
  /** Undefined: a caller's address is that of its socket. */
  trustProxy: TrustedProxies | undefined;
  /** Whether the portal and the wallet are served. */
  web: boolean;
  /** The network's server that the wallet page queries, if any. */
  walletHorizon: string | undefined;
}>;

export const CONFIG = Symbol('Config');

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Aborts the start; the message is one line that names the variable. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(env: Environment, knownNetworks: readonly string[]): Config {
  const host = hostName(env);
  const port = integer(env, 'PORT', 8787, 0, 65535);
  const eventStore = oneOf(env, 'EVENT_STORE', ['embedded', 'eventstoredb'] as const, 'embedded');
  const readStore = oneOf(env, 'READ_STORE', ['embedded', 'mongodb'] as const, 'embedded');
  return {
    role: role(env, eventStore, readStore),
    host,
    port,
    baseUrl: url(env, 'BASE_URL', `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`),
    dataDir: text(env, 'DATA_DIR', './data'),
    eventStore:
      eventStore === 'embedded'
        ? { kind: 'embedded' }
        : { kind: 'eventstoredb', url: engineUrl(env, 'EVENTSTORE_URL', /^(esdb|kurrentdb|kdb)(\+discover)?:\/\/.+/) },
    readStore:
      readStore === 'embedded'
        ? { kind: 'embedded' }
        : { kind: 'mongodb', url: engineUrl(env, 'MONGODB_URL', /^mongodb(\+srv)?:\/\/.+/) },
    serviceSecret: serviceSecret(env, eventStore),
    auditSigningKey: auditSigningKey(env),
    mailUrl: mailUrl(env),
    dnsServers: dnsServers(env),
    allowPrivateNetworks: flag(env, 'ALLOW_PRIVATE_NETWORKS', 'true', 'false', false),
    enabledNetworks: networks(env, knownNetworks),
    settlementWitnesses: settlementWitnesses(env, (expected) => wrong('SETTLEMENT_WITNESS', expected)),
    metricsToken: metricsToken(env),
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    rateLimits: flag(env, 'RATE_LIMITS', 'on', 'off', true),
    trustProxy: trustProxy(env),
    web: flag(env, 'WEB', 'on', 'off', true),
    walletHorizon: walletHorizon(env),
  };
}

// An empty variable counts as unset: that is how compose files and shells spell "none".
const text = (env: Environment, name: string, fallback: string): string => env[name] || fallback;

const wrong = (name: string, expected: string): ConfigError => new ConfigError(`${name} ${expected}`);

function integer(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const value = text(env, name, String(fallback));
  if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max) {
    throw wrong(name, `must be a whole number from ${min} to ${max}`);
  }
  return Number(value);
}

function oneOf<T extends string>(env: Environment, name: string, allowed: readonly T[], fallback: T): T {
  const value = text(env, name, fallback);
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw wrong(name, `must be one of: ${allowed.join(', ')}`);
  return found;
}

const flag = (env: Environment, name: string, on: string, off: string, fallback: boolean): boolean =>
  oneOf(env, name, [on, off], fallback ? on : off) === on;

/** Embedded stores belong to one process: no other could do the work that it leaves out. */
function role(env: Environment, eventStore: string, readStore: string): Role {
  const value = oneOf(env, 'ROLE', ROLES, 'all');
  if (value !== 'all' && (eventStore === 'embedded' || readStore === 'embedded')) {
    throw wrong('ROLE', 'must be all where a store is embedded');
  }
  return value;
}

/** A name whose last part is all digits would be taken for a mistyped address. */
function hostName(env: Environment): string {
  const value = text(env, 'HOST', '127.0.0.1');
  const isName = /^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z_]([a-z0-9_-]*[a-z0-9_])?$/i.test(value);
  // A zone names an interface of this machine: callers cannot use it in an address.
  const isAddress = isIP(value) !== 0 && (!value.includes('%') || Boolean(env['BASE_URL']));
  if (!isAddress && !isName) throw wrong('HOST', 'must be an address or a host name of this machine');
  return value;
}

function url(env: Environment, name: string, fallback: string): string {
  const value = text(env, name, fallback);
  if (!plainUrl(value)) throw wrong(name, `must be an address such as ${fallback}, without user, query or fragment`);
  return value.replace(/\/+$/, '');
}

/** Its host goes into the wallet page's security policy, where a semicolon or a comma would begin something else. */
function walletHorizon(env: Environment): string | undefined {
  if (!env['WALLET_HORIZON']) return undefined;
  const value = url(env, 'WALLET_HORIZON', 'https://horizon.example');
  if (!/^https?:\/\/[a-z0-9.:[\]_-]+$/i.test(new URL(value).origin)) {
    throw wrong('WALLET_HORIZON', 'must name a host that browsers can look up');
  }
  return value;
}

/** Engine URLs may carry passwords, so the message never repeats them. */
function engineUrl(env: Environment, name: string, form: RegExp): string {
  const value = env[name];
  if (!value) throw wrong(name, 'is required by the chosen engine');
  if (!form.test(value)) throw wrong(name, `must match ${form.source}`);
  return value;
}

function serviceSecret(env: Environment, eventStore: string): string | undefined {
  const value = env['SERVICE_SECRET'] || undefined;
  if (value === undefined && eventStore !== 'embedded') throw wrong('SERVICE_SECRET', 'is required with eventstoredb');
  if (value !== undefined && value.length < 32) throw wrong('SERVICE_SECRET', 'must have at least 32 characters');
  return value;
}

function auditSigningKey(env: Environment): string | undefined {
  const value = env['AUDIT_SIGNING_KEY'] || undefined;
  if (value !== undefined && !/^[0-9a-f]{64}$/.test(value)) {
    throw wrong('AUDIT_SIGNING_KEY', 'must be 32 bytes in lower-case hex, as `openssl rand -hex 32` gives them');
  }
  return value;
}

/** It must fit after `Authorization: Bearer`, or nobody could ever send it. */
function metricsToken(env: Environment): string | undefined {
  const value = env['METRICS_TOKEN'] || undefined;
  if (value !== undefined && !/^[\x21-\x7e]+$/.test(value)) {
    throw wrong('METRICS_TOKEN', 'must be visible ASCII characters without spaces');
  }
  return value;
}

function mailUrl(env: Environment): string {
  const value = text(env, 'MAIL_URL', 'outbox:');
  const { hostname, port } = (/^smtps?:\/\//.test(value) && parsedUrl(value)) || { hostname: '', port: '' };
  // Without a host, or with port 0, the mail library would pick its own.
  if (value !== 'outbox:' && (hostname === '' || port === '0')) {
    throw wrong('MAIL_URL', 'must be outbox: or smtp://host:port');
  }
  return value;
}

function dnsServers(env: Environment): readonly string[] {
  const value = env['DNS_SERVERS'];
  if (!value) return [];
  return value.split(',').map((server) => {
    const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:]+)\]|([0-9.]+))(?::(\d{1,5}))?$/.exec(server.trim()) ?? [];
    if (!isIP(bracketed ?? plain ?? '') || Number(port ?? 53) > 65535 || Number(port) === 0) {
      throw wrong('DNS_SERVERS', 'must be addresses such as 9.9.9.9:53,[2620:fe::fe]:53');
    }
    return server.trim();
  });
}

function trustProxy(env: Environment): TrustedProxies | undefined {
  const value = env['TRUST_PROXY'];
  if (!value) return undefined;
  const proxies = trustedProxies(value);
  if (proxies === undefined)
    throw wrong('TRUST_PROXY', 'must be 1 to 10 hops, or networks such as 10.0.0.0/8,fd00::/8');
  return proxies;
}

function networks(env: Environment, known: readonly string[]): readonly string[] {
  const names = text(env, 'ENABLED_NETWORKS', 'stellar_testnet')
    .split(',')
    .map((name) => name.trim());
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw wrong(
      'ENABLED_NETWORKS',
      `names an unknown network: ${stranger.slice(0, 40)}; known networks are ${known.join(', ')}`,
    );
  return names;
}
