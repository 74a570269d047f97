import { fromBase64, joined, utf8 } from './bytes.ts';
import { type WebhookMessage } from './types/webhook.ts';

/** The message is not from the service, is too old, or was altered in transit. Respond with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
  }
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyWebhookInput = Readonly<{
  /** The body exactly as it arrived, before any parsing. */
  body: string | Uint8Array;
  headers: WebhookHeaders;
  /** `whsec_…` as shown when the endpoint was created; several during a rotation. */
  secret: string | readonly string[];
  /** How far the message's time may differ from ours; 300 s by default. */
  toleranceSeconds?: number;
  now?: Date;
}>;

export type VerifiedWebhook = Readonly<{
  /** The same on every retry: remember it, to respond to a message seen before without acting on it. */
  id: string;
  sentAt: Date;
  message: WebhookMessage;
}>;

const PREFIX = 'whsec_';
const VERSION = 'v1,';

/** Checks signature and time, and only then parses. Throws WebhookVerificationError if anything does not match. */
export async function verifyWebhook(input: VerifyWebhookInput): Promise<VerifiedWebhook> {
  const { toleranceSeconds = 300, now = new Date() } = input;
  const [id, timestamp, signatures] = (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const).map((name) =>
    headerOf(input.headers, name),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a time');
  const age = now.getTime() / 1000 - Number(timestamp);
  // Asked so that what is no number is refused: it is not more than anything.
  if (!(Math.abs(age) <= toleranceSeconds)) {
    throw new WebhookVerificationError(`the message is ${Math.round(age)} s old: check your clock, or it is a replay`);
  }
  const body = typeof input.body === 'string' ? utf8(input.body) : new Uint8Array(input.body);
  const signed = joined(utf8(`${id}.${timestamp}.`), body);
  if (!(await isSigned(signed, signatures, [input.secret].flat()))) {
    throw new WebhookVerificationError('no signature matches: check the secret, and that the body is the raw one');
  }
  return { id, sentAt: new Date(Number(timestamp) * 1000), message: parsed(body) };
}

async function isSigned(signed: Uint8Array<ArrayBuffer>, header: string, secrets: readonly string[]): Promise<boolean> {
  const signatures = header
    .split(' ')
    .filter((one) => one.startsWith(VERSION))
    .flatMap((one) => fromBase64(one.slice(VERSION.length)) ?? []);
  for (const secret of secrets) {
    const key = await keyOf(secret);
    for (const signature of signatures) {
      // Compares in constant time, which comparing strings would not.
      if (await globalThis.crypto.subtle.verify('HMAC', key, signature, signed)) return true;
    }
  }
  return false;
}

function keyOf(secret: string) {
  const bytes = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('the webhook secret must be whsec_ followed by base64');
  return globalThis.crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function headerOf(headers: WebhookHeaders, wanted: string): string {
  const value = isHeaders(headers)
    ? headers.get(wanted)
    : Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`${wanted} is missing`);
  return value;
}

const isHeaders = (headers: WebhookHeaders): headers is Headers => typeof headers['get'] === 'function';

function parsed(body: Uint8Array): WebhookMessage {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookMessage;
  } catch {
    throw new WebhookVerificationError('the body is signed but is not JSON');
  }
}
