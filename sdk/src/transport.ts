import { SvcConnectionError, SvcError } from './errors.ts';
import { errorOf, type Envelope } from './envelope.ts';
import { MAX_TIMER_MS } from './pause.ts';

export type ClientOptions = Readonly<{
  /** Where the service is, such as `http://127.0.0.1:8787`. */
  baseUrl: string;
  /** Sent with every call. Credential and idempotency-key headers are dropped: they cannot be overridden. */
  headers?: Readonly<Record<string, string>>;
  /** How long a call may take; 30 s by default. */
  timeoutMs?: number;
  fetch?: typeof globalThis.fetch;
}>;

export type CallOptions = Readonly<{
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  timeoutMs?: number;
}>;

/** For a call that makes something. A key of your own makes it safe to repeat from anywhere. */
export type KeyedOptions = CallOptions & Readonly<{ idempotencyKey?: string }>;

export type Call = Readonly<{
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  body?: object;
  idempotencyKey?: string;
  options?: CallOptions | undefined;
}>;

export type Answer<T> = Readonly<{ body: T; status: number; headers: Headers }>;

/** The call that makes something: always with a key, so that the same call sent again makes nothing more. */
export const making = (path: string, body: object, options: KeyedOptions = {}): Call & { idempotencyKey: string } => {
  const { idempotencyKey = newKey(), ...rest } = options;
  return { method: 'POST', path, body, idempotencyKey, options: rest };
};

/** Pages that were not loaded over https have no `randomUUID`. */
export const newKey = (): string =>
  Array.from(globalThis.crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** The headers that authenticate the caller; `cookies` lets a browser add its own. */
export type Proof = Readonly<{ headers: Readonly<Record<string, string>>; cookies?: boolean }>;

export const nobody: Proof = { headers: {} };

/** Set only by the clients, whatever headers their caller asks for. */
const RESERVED = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-svc-api-key',
  'x-csrf-token',
  'x-idempotency-key',
  'idempotency-key',
  'content-type',
  'accept',
]);

const DEFAULT_TIMEOUT_MS = 30_000;

/** One HTTP call: headers merged by precedence, time bounded, a refusal thrown. */
export class Transport {
  readonly baseUrl: string;

  constructor(private readonly options: ClientOptions) {
    const { protocol } = new URL(options.baseUrl);
    if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('baseUrl must be an http or https address');
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  async send<T>(call: Call, proof: Proof): Promise<Answer<T>> {
    const { signal, timeoutMs = this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS } = call.options ?? {};
    signal?.throwIfAborted();
    // Before anything is sent: what cannot be sent is the caller's mistake, not an unknown outcome.
    const headers = this.headersOf(call, proof);
    const ended = new AbortController();
    const giveUp = (): void => ended.abort(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    const timer = setTimeout(
      () => ended.abort(new Error(`no answer within ${timeoutMs} ms`)),
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
    try {
      const response = await this.fetch(call, { ...proof, headers }, ended.signal);
      return await read<T>(response, call);
    } catch (error) {
      if (error instanceof SvcError) throw error;
      signal?.throwIfAborted();
      const cause: unknown = ended.signal.aborted ? ended.signal.reason : error;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new SvcConnectionError(`${call.method} ${call.path}: ${why}`, cause, call.idempotencyKey);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** A response that stays open for as long as both sides want; a refusal is thrown. */
  async open(call: Call, proof: Proof, signal: AbortSignal): Promise<Response> {
    const headers = this.headersOf(call, proof, 'text/event-stream');
    const response = await this.fetch(call, { ...proof, headers }, signal);
    if (!response.ok) await read(response, call);
    return response;
  }

  private headersOf(call: Call, proof: Proof, accept = 'application/json'): Record<string, string> {
    return {
      ...unreserved(this.options.headers),
      ...unreserved(call.options?.headers),
      accept,
      ...(call.body ? { 'content-type': 'application/json' } : {}),
      ...(call.idempotencyKey === undefined ? {} : { 'x-idempotency-key': keyHeader(call.idempotencyKey) }),
      ...proof.headers,
    };
  }

  private fetch(call: Call, { headers, cookies }: Proof, signal: AbortSignal): Promise<Response> {
    const doFetch = this.options.fetch ?? globalThis.fetch;
    return doFetch(this.baseUrl + call.path + queryOf(call.query), {
      method: call.method,
      headers,
      // A redirect would send the credential to wherever it points.
      redirect: 'error',
      credentials: cookies ? 'same-origin' : 'omit',
      signal,
      ...(call.body ? { body: JSON.stringify(call.body) } : {}),
    });
  }
}

/**
 * A header carries bytes, one per character. The service reads them as UTF-8, so a key in any script arrives intact. A
 * key that a header would alter in transit is refused here: the service would see another key.
 */
function keyHeader(key: string): string {
  if (key === '') throw new TypeError('the idempotency key must not be empty');
  if (/^[ \t]|[ \t]$/.test(key)) throw new TypeError('the idempotency key must not begin or end with a space');
  if (/\p{Cc}/u.test(key)) throw new TypeError('the idempotency key must not contain control characters');
  const bytes = new TextEncoder().encode(key);
  if (new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) !== key) {
    throw new TypeError('the idempotency key contains half a character (a lone surrogate), which UTF-8 cannot encode');
  }
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  // A header that begins with a quote is read as a string of RFC 9651.
  return key.startsWith('"') ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
}

async function read<T>(response: Response, call: Call): Promise<Answer<T>> {
  const { status, headers } = response;
  const text = await response.text();
  const body = parsed(text);
  if (response.ok && body !== undefined) return { body: body as T, status, headers };
  throw errorOf({ status, headers, body, text, idempotencyKey: call.idempotencyKey });
}

function parsed(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const unreserved = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.trim().toLowerCase(), value] as const)
      .filter(([name]) => !RESERVED.has(name)),
  );

function queryOf(query: Call['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** A path with its ids encoded. Dots alone would mean another path, so they are not ids. */
export function path(parts: TemplateStringsArray, ...ids: readonly string[]): string {
  return parts.reduce((whole, part, index) => {
    const id = ids[index - 1] ?? '';
    if (/^\.{0,2}$/.test(id)) throw new TypeError('an id must not be empty');
    return whole + encodeURIComponent(id) + part;
  });
}
