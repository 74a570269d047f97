import { addressBytes, isForbiddenAddress } from './addresses';
import { asciiName } from './idna';
import { parsedUrl } from '../../kernel/parsed-url';
import { RecentlyUsed } from '../../kernel/recently-used';

/** Never changed once in use: what it says of a URL is remembered. */
export type EgressPolicy = Readonly<{
  /** For development and tests: every address and name is reachable, and plain http as well. */
  allowPrivateNetworks: boolean;
  /** Names under which this service itself is reachable: it must not be made to call itself. */
  ownHosts: readonly string[];
  /** Permits single addresses while the guard stays on for all others. */
  alsoPermits?: (address: string, port: number) => boolean;
}>;

export type Destination = Readonly<{
  url: Readonly<URL>;
  /** Lower-case ASCII name, or an address without brackets. */
  host: string;
  port: number;
  secure: boolean;
  isAddress: boolean;
}>;

/** Problems with the text alone, whoever the caller is and wherever it leads. */
export type SpellingProblem = 'too_long' | 'malformed' | 'credentials_not_allowed' | 'fragment_not_allowed';

export type DestinationProblem =
  | SpellingProblem
  | 'scheme_not_allowed'
  | 'port_not_allowed'
  | 'host_not_allowed'
  | 'address_not_allowed';

export type ParsedDestination =
  | (Readonly<{ ok: true }> & Destination)
  | Readonly<{ ok: false; problem: DestinationProblem }>;

const MAX_URL_LENGTH = 2048;
/** Controls, separators, invisible and unassigned characters, and the backslash: parsers disagree on what they mean. */
const AMBIGUOUS = /[\p{C}\p{Z}\\]/u;
/** Exactly two slashes and a non-empty authority: the URL parser also accepts `https:host` and `https:///host`. */
const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const LOCAL_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa'];

const MAX_PARSED = 1_000;
/** By policy. Whoever sends much sends it to the same few URLs. */
const parsed = new WeakMap<EgressPolicy, RecentlyUsed<string, ParsedDestination>>();

/** Parses an untrusted URL and says whether a request may be made to it. No name is resolved here. */
export function parseDestination(text: string, policy: EgressPolicy): ParsedDestination {
  const before = parsed.get(policy);
  const known = before?.get(text);
  if (known !== undefined) return known;
  const destination = parse(text, policy);
  const kept = before ?? new RecentlyUsed<string, ParsedDestination>(MAX_PARSED);
  if (destination.ok) kept.set(text, destination);
  if (before === undefined) parsed.set(policy, kept);
  return destination;
}

function parse(text: string, policy: EgressPolicy): ParsedDestination {
  const { problems, url } = spelled(text);
  if (problems[0] !== undefined) return refused(problems[0]);
  if (url === undefined) return refused('scheme_not_allowed');

  const secure = url.protocol === 'https:';
  if (!secure && !policy.allowPrivateNetworks) return refused('scheme_not_allowed');
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  if (port === 0) return refused('port_not_allowed');

  const host = bareHost(url.hostname);
  const isAddress = addressBytes(host) !== undefined;
  if (isAddress ? !isPermittedAddress(host, port, policy) : !isHostName(host)) {
    return refused(isAddress ? 'address_not_allowed' : 'host_not_allowed');
  }
  if (!policy.allowPrivateNetworks && ((!isAddress && isLocalName(host)) || isOwnHost(host, policy))) {
    return refused('host_not_allowed');
  }
  return { ok: true, url, host, port, secure, isAddress };
}

/** Everything that is wrong with the text itself. An unsupported scheme is not a spelling problem. */
export const spellingProblems = (text: string): readonly SpellingProblem[] => spelled(text).problems;

/** There is a URL if nothing is wrong, unless its scheme is not supported. */
function spelled(text: string): Readonly<{ problems: readonly SpellingProblem[]; url?: URL }> {
  if (text.length > MAX_URL_LENGTH) return { problems: ['too_long'] };
  if (AMBIGUOUS.test(text)) return { problems: ['malformed'] };
  const authority = ABSOLUTE.exec(text)?.[1];
  const url = parsedUrl(text);
  if (authority === undefined || url === undefined) return { problems: schemeOf(text) ? [] : ['malformed'] };
  const problems: SpellingProblem[] = [];
  if (authority.includes('@')) problems.push('credentials_not_allowed');
  if (text.includes('#')) problems.push('fragment_not_allowed');
  if (url.href.length > MAX_URL_LENGTH) problems.push('too_long');
  return { problems, url };
}

/** The one check for every address: a literal, each resolved one, and the connected peer. */
export function isPermittedAddress(address: string, port: number, policy: EgressPolicy): boolean {
  if (policy.allowPrivateNetworks || !isForbiddenAddress(address)) return true;
  return policy.alsoPermits?.(address, port) ?? false;
}

/** An unsupported scheme is worth telling apart from text that is no URL at all. */
function schemeOf(text: string): boolean {
  return !/^https?:/i.test(text) && parsedUrl(text) !== undefined;
}

function isHostName(host: string): boolean {
  const isSpelled = host.length <= 253 && host.split('.').every((label) => LABEL.test(label));
  // The runtime's URL parser accepts names that IDNA does not; which ones depends on its version.
  return isSpelled && asciiName(host) === host;
}

function isLocalName(host: string): boolean {
  return !host.includes('.') || LOCAL_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}

/** Own hosts come from the configuration and may be written like any URL's host. */
function isOwnHost(host: string, policy: EgressPolicy): boolean {
  return policy.ownHosts.some((own) => {
    const spelled = parsedUrl(`https://${own}`);
    return host === (spelled ? bareHost(spelled.hostname) : own.toLowerCase());
  });
}

const bareHost = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

const refused = (problem: DestinationProblem): ParsedDestination => ({ ok: false, problem });
