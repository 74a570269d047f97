import { randomBytes } from 'node:crypto';
import { type DomainMethod } from '../../events/merchant.events';

export const CHALLENGE_SECONDS = 7 * 24 * 60 * 60;

/** Not a secret, but hard to guess: otherwise a domain that happens to publish it would count as proven. */
export const newChallenge = (): string => randomBytes(32).toString('base64url');

export type Challenge = Readonly<{ domain: string; method: DomainMethod; challenge: string }>;

/** The longest name DNS can carry. */
export const MAX_RECORD_NAME = 253;
export const recordName = (domain: string): string => `_svc-challenge.${domain}`;
export const recordValue = (challenge: string): string => `svc-domain-verification=${challenge}`;
export const wellKnownUrl = (domain: string): string => `https://${domain}/.well-known/svc-domain-verification.txt`;

/** What to publish, where, and until when. */
export const challengeView = ({ domain, method, challenge }: Challenge, expiresAt: string) =>
  method === 'dns'
    ? {
        type: 'dns',
        record_name: recordName(domain),
        record_type: 'TXT',
        record_value: recordValue(challenge),
        expires_at: expiresAt,
      }
    : { type: 'https', url: wellKnownUrl(domain), content: challenge, expires_at: expiresAt };
