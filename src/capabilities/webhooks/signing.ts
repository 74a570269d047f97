import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { Injectable } from '../../platform/injection';
import { RecentlyUsed } from '../../kernel/recently-used';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { type KnownEndpoint } from './webhook-endpoint';
import { type EndpointId } from '../../kernel/aggregates';

type Secrets = Pick<KnownEndpoint, 'secretSealed' | 'previous'>;

const PREFIX = 'whsec_';
const PURPOSE = 'webhook-secret';
const MAX_CACHED_KEYS = 2_000;

export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64');

export const signingKeyOf = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));

/** What receivers check before trusting a body: `v1,<base64>` for each secret, over id, time and the exact bytes. */
export function signatureHeaders(
  keys: readonly KeyObject[],
  messageId: string,
  at: Date,
  body: Buffer,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${messageId}.${seconds}.`).update(body).digest('base64')}`,
  );
  return { 'webhook-id': messageId, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

/** Encrypts secrets at rest, each bound to its endpoint. */
@Injectable()
export class WebhookSecrets {
  /** Unsealing costs more than signing; recently used keys stay unsealed, in this process only. */
  private readonly opened = new RecentlyUsed<string, KeyObject>(MAX_CACHED_KEYS);

  constructor(private readonly secret: ServiceSecret) {}

  sealed(endpointId: EndpointId, secret: string): string {
    return this.secret.seal(PURPOSE, endpointId, secret);
  }

  /** As it was shown to the merchant. */
  unsealed(endpointId: EndpointId, sealed: string): string {
    return this.secret.unseal(PURPOSE, endpointId, sealed);
  }

  /** The keys that currently sign: the current one first, then each replaced one that is still valid. */
  signingNow(endpointId: EndpointId, { secretSealed, previous }: Secrets, at: Date): readonly KeyObject[] {
    const now = at.toISOString();
    const along = previous.filter(({ until }) => now < until);
    return [secretSealed, ...along.map((replaced) => replaced.secretSealed)].map((sealed) =>
      this.open(endpointId, sealed),
    );
  }

  private open(endpointId: EndpointId, sealed: string): KeyObject {
    const name = `${endpointId} ${sealed}`;
    const known = this.opened.get(name);
    if (known !== undefined) return known;
    const key = signingKeyOf(this.secret.unseal(PURPOSE, endpointId, sealed));
    this.opened.set(name, key);
    return key;
  }
}
