import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { seal, unseal } from '../secrets/sealing';
import { ServiceSecret } from '../secrets/service-secret';
import { type KnownEndpoint } from './webhook-endpoint';

const PREFIX = 'whsec_';

export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** What receivers check before they believe a body: `v1,<base64>` for each secret, over id, time and the exact bytes. */
export function signatureHeaders(
  secrets: readonly string[],
  messageId: string,
  at: Date,
  body: Buffer,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const signed = Buffer.concat([Buffer.from(`${messageId}.${seconds}.`), body]);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return { 'webhook-id': messageId, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

/** Secrets at rest: encrypted, and useless for any endpoint but their own. */
@Injectable()
export class WebhookSecrets {
  private readonly key: Buffer;

  constructor(secret: ServiceSecret) {
    this.key = secret.key('webhook-secret');
  }

  sealed(endpointId: string, secret: string): string {
    return seal(this.key, endpointId, secret);
  }

  /** Those that sign now: the present one first, then the one before while it still may. */
  signingNow(endpointId: string, { secretSealed, previous }: KnownEndpoint, at: Date): readonly string[] {
    const sealed = [secretSealed, ...(previous && at.toISOString() < previous.until ? [previous.secretSealed] : [])];
    return sealed.map((text) => unseal(this.key, endpointId, text));
  }
}
