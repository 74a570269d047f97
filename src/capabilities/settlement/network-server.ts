import { retryAfterSeconds } from '../../kernel/retry-after';
import { type EgressPolicy } from '../../platform/egress/destination';
import { EgressError } from '../../platform/egress/egress-error';
import { createEgressPool } from '../../platform/egress/egress-pool';
import { guardedRequest } from '../../platform/egress/guarded-http';
import { type Resolver } from '../../platform/egress/resolver';
import { UnreadableAnswer } from './answers';
import { type Sighting } from './witness.port';

export type NetworkServerParts = Readonly<{ url: string; resolver: Resolver; policy: EgressPolicy; timeoutMs: number }>;

/** One transaction: its metadata holds every ledger entry that it touched. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
const MIN_PAUSE_MS = 1_000;
/** Of a server that does not say how long; doubled as long as it goes on. */
const UNSAID_PAUSE_MS = 5_000;
const MAX_UNSAID_PAUSE_MS = 2 * 60_000;
/** A server may ask to be left alone, but not for ever. */
const MAX_PAUSE_MS = 10 * 60_000;

/** The server wants no more requests for now. */
class ServerBusy extends Error {
  constructor(
    readonly status: string,
    readonly retryAfterMs: number,
  ) {
    super(status);
  }
}

type Ask = Readonly<{
  /** Below the configured URL. */
  path?: string;
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST; without it, GET. */
  body?: object;
  signal: AbortSignal;
}>;

/** One server of a network, asked through the guarded client, and not at all for as long as it says. */
export class NetworkServer {
  /** Path and query of the URL may hold a key, so nothing but this is ever shown. */
  readonly host: string;
  private readonly pool = createEgressPool();
  /** By the monotonic clock. */
  private busyUntil = 0;
  private refusals = 0;

  constructor(private readonly parts: NetworkServerParts) {
    this.host = new URL(parts.url).host;
  }

  /** What `read` makes of the answers; whatever is wrong with one is `unclear`. */
  async sighting(read: () => Promise<Sighting>): Promise<Sighting> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof UnreadableAnswer) return { kind: 'unclear', reason: error.message };
      if (error instanceof EgressError) return { kind: 'unclear', reason: error.kind };
      if (error instanceof ServerBusy)
        return { kind: 'unclear', reason: error.status, retryAfterMs: error.retryAfterMs };
      throw error;
    }
  }

  /** The parsed body, or undefined for a 404. */
  async ask({ path = '', query = {}, body, signal }: Ask): Promise<unknown> {
    const busyMs = this.busyUntil - performance.now();
    if (busyMs > 0) throw new ServerBusy('the server wants to be left alone for now', Math.ceil(busyMs));
    const { url, ...parts } = this.parts;
    const answer = await guardedRequest({
      ...parts,
      url: below(url, path, query),
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/hal+json, application/json',
        'user-agent': 'svc-settlement-witness',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      maxResponseBytes: MAX_RESPONSE_BYTES,
      reuse: { pool: this.pool, endpointKey: url },
      signal,
    });
    this.obey(answer.status, answer.headers['retry-after']);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw new UnreadableAnswer(`HTTP ${answer.status}`);
    if (answer.truncated) throw new UnreadableAnswer('it is too long');
    return parsed(answer.body);
  }

  private obey(status: number, header: string | undefined): void {
    // What came with an answer is no refusal: whoever is asked for two things would otherwise never give the second.
    if (status < 300) this.refusals = 0;
    const wished = retryAfterSeconds(header, new Date());
    if (status < 300 || (status !== 429 && wished === null)) return;
    const isFirst = this.busyUntil <= performance.now();
    const pauseMs =
      wished === null
        ? Math.min(UNSAID_PAUSE_MS * 2 ** this.refusals, MAX_UNSAID_PAUSE_MS)
        : Math.min(Math.max(wished * 1_000, MIN_PAUSE_MS), MAX_PAUSE_MS);
    // Those in flight together are refused together.
    if (isFirst) this.refusals = Math.min(this.refusals + 1, 10);
    this.busyUntil = Math.max(this.busyUntil, performance.now() + pauseMs);
    if (status !== 404) throw new ServerBusy(`HTTP ${status}`, Math.ceil(this.busyUntil - performance.now()));
  }
}

/** The configured path stays in front, and the configured query, which may hold a key, is sent along. */
function below(base: string, path: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(base);
  if (path !== '') url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new UnreadableAnswer('it is not JSON');
  }
}
