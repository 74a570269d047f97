import { createHmac, randomBytes } from 'node:crypto';
import { fromBase64 } from '../../bytes.ts';
import { usage } from './exit-codes.ts';

const PREFIX = 'whsec_';
const TIMEOUT_MS = 15_000;

export type Message = Readonly<{ id: string; body: string; headers?: Readonly<Record<string, string>> }>;

/** The status of the receiver's response, or why there was none. */
export type Forwarded = Readonly<{ status: number } | { error: string }>;

/** The secret to sign with: the given one, or a new one. */
export function secretFrom(given: string | undefined): string {
  if (given === undefined) return PREFIX + randomBytes(32).toString('base64');
  keyOf(given);
  return given;
}

export function keyOf(secret: string): Buffer {
  const bytes = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : undefined;
  if (bytes === undefined || bytes.length === 0) throw usage('--secret must be whsec_ followed by base64');
  return Buffer.from(bytes);
}

export function receiverFrom(url: string | undefined): URL {
  if (url === undefined) throw usage('--forward-to <url> is missing: the address of your receiver');
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw usage(`--forward-to: ${url} is no address; write it with http://`);
  }
  if (!/^https?:$/.test(parsed.protocol)) throw usage('--forward-to must be an http or https address');
  return parsed;
}

/** Posts a message as the service would: the exact bytes, signed per Standard Webhooks. Does not follow redirects. */
export async function forward(to: URL, secret: string, message: Message, signal: AbortSignal): Promise<Forwarded> {
  const { id, body, headers } = message;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  try {
    const { status } = await fetch(to, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'svc-listen/1',
        ...headers,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return { status };
  } catch (error) {
    signal.throwIfAborted();
    const { message: why, cause } = error as Error;
    return { error: cause instanceof Error ? cause.message || why : why };
  }
}

export const isAccepted = (forwarded: Forwarded): boolean =>
  'status' in forwarded && forwarded.status >= 200 && forwarded.status < 300;
