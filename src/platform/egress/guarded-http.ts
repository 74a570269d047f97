import { type Agent } from 'node:http';
import { Cutoff } from './cutoff';
import { type DialPlan } from './dial';
import { type Destination, type EgressPolicy, isPermittedAddress, parseDestination } from './destination';
import { EgressError, StaleConnectionError } from './egress-error';
import { type EgressPool } from './egress-pool';
import { type Answer, exchange } from './exchange';
import { GuardedAgent } from './guarded-agent';
import { DnsError, type Resolver } from './resolver';

export type GuardedRequest = Readonly<{
  url: string;
  method: string;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  /** For everything together: lookup, connection, handshake, request, and response to its last byte. */
  timeoutMs: number;
  /** A longer body is cut off here and the connection dropped. */
  maxResponseBytes: number;
  policy: EgressPolicy;
  resolver: Resolver;
  /** Without it every request has its own connection. With it a request may, rarely, arrive twice. */
  reuse?: Readonly<{ pool: EgressPool; endpointKey: string }>;
  /** Trusted in addition to the usual authorities. */
  ca?: string | Buffer;
  signal?: AbortSignal;
  /** Checked again once connected, before the first byte: the process may have been paused in between. */
  stillWanted?: () => boolean;
}>;

/** `truncated`: the body was longer than `maxResponseBytes` and only its beginning is here. */
export type GuardedResponse = Answer & Readonly<{ durationMs: number }>;

/**
 * One request to an untrusted destination. The name is resolved once, all its addresses are checked, and the connection
 * goes to one of those very addresses. A redirect is a response like any other. Throws only EgressError.
 */
export async function guardedRequest(request: GuardedRequest): Promise<GuardedResponse> {
  const started = performance.now();
  const parsed = parseDestination(request.url, request.policy);
  if (!parsed.ok) throw new EgressError('destination_not_allowed', `the URL is refused: ${parsed.problem}`);

  const answer = await withinTime(request, async (cutoff) => {
    const plan: DialPlan = {
      host: parsed.host,
      port: parsed.port,
      secure: parsed.secure,
      addresses: await permittedAddresses(parsed, request, cutoff),
      permits: (address) => isPermittedAddress(address, parsed.port, request.policy),
      remainingMs: () => request.timeoutMs - (performance.now() - started),
      cutoff,
      ...(request.ca === undefined ? {} : { ca: request.ca }),
      ...(request.stillWanted === undefined ? {} : { stillWanted: request.stillWanted }),
    };
    return send(plan, parsed, request);
  });
  return { ...answer, durationMs: performance.now() - started };
}

/** One forbidden address rules out the name: which one a connection takes would be up to chance, or to an attacker. */
async function permittedAddresses(
  { host, port, isAddress }: Destination,
  { policy, resolver }: GuardedRequest,
  cutoff: Cutoff,
): Promise<readonly string[]> {
  if (isAddress) return [host];
  const privateNames = policy.allowPrivateNetworks;
  const lookUp = (): Promise<readonly string[]> =>
    resolver.addresses(host, { signal: cutoff.signal(), privateNames }).catch((error: unknown) => {
      throw error instanceof DnsError ? new EgressError('dns_failed', error.message, { cause: error }) : error;
    });
  const addresses = resolver.known?.(host, { privateNames }) ?? (await lookUp());
  if (addresses.every((address) => isPermittedAddress(address, port, policy))) return addresses;
  throw new EgressError('destination_not_allowed', 'the name resolves to an address that is not permitted');
}

async function send(plan: DialPlan, { url }: Destination, request: GuardedRequest): Promise<Answer> {
  const { method, headers = {}, body, maxResponseBytes, reuse, ca = '' } = request;
  const over = (agent: Agent): Promise<Answer> =>
    exchange({ agent, plan, url, method, headers, body, maxResponseBytes });
  if (!reuse) return over(new GuardedAgent());

  const key = JSON.stringify([reuse.endpointKey, url.origin, [...plan.addresses].sort(), ca.toString()]);
  try {
    return await reuse.pool.withLane(key, over);
  } catch (error) {
    // The server closed an idle connection just as we took it. It may have read the request all the same:
    // callers that reuse connections accept that a request can arrive twice.
    if (error instanceof StaleConnectionError && plan.cutoff.reason === undefined) return over(new GuardedAgent());
    throw error;
  }
}

/** Runs the work until it is done or cut off; no timer outlives it. */
async function withinTime<T>({ timeoutMs, signal }: GuardedRequest, work: (cutoff: Cutoff) => Promise<T>): Promise<T> {
  const cutoff = new Cutoff(timeoutMs, signal);
  try {
    cutoff.throwIfEnded();
    return await work(cutoff);
  } catch (error) {
    if (error instanceof EgressError) throw error;
    throw new EgressError('protocol_error', 'the request failed unexpectedly', { cause: error });
  } finally {
    cutoff.release();
  }
}
