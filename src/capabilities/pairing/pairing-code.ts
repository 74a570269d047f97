import { createHmac, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { secretsEqual } from '../../platform/secrets/tokens';
import { type PairingSessionId } from '../../kernel/aggregates';

/** What people read aloud and type: without 0 O, 1 I L, 2 Z, 5 S, 6 G, 8 B, U V, which are easily confused. */
export const CODE_ALPHABET = '3479ACDEFHJKMNPQRTWXY';
export const CODE_LENGTH = 8;

/**
 * Eight characters are too few to be safe behind a plain hash, so the hash is keyed; it also includes the session id,
 * so that equal codes of two sessions have different hashes.
 */
@Injectable()
export class PairingCodes {
  private readonly key: Buffer;
  private readonly lookUpKey: Buffer;

  constructor(secret: ServiceSecret) {
    this.key = secret.key('pairing-code');
    this.lookUpKey = secret.key('pairing-code-look-up');
  }

  newCode(): string {
    return Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
  }

  hash(sessionId: PairingSessionId, code: string): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([sessionId, asTyped(code)]))
      .digest('hex');
  }

  /** Finds a session by its code. Useless without the service secret, and not a proof: the session's own hash is. */
  lookUp(code: string): string {
    return createHmac('sha256', this.lookUpKey).update(asTyped(code)).digest('hex');
  }

  matches(sessionId: PairingSessionId, code: string, hash: string): boolean {
    return secretsEqual(this.hash(sessionId, code), hash);
  }
}

/** People type lower case, and group characters with spaces and dashes. */
const asTyped = (code: string): string => code.replace(/[\s\p{Pd}]/gu, '').toUpperCase();

/** What a QR code holds: the service's URL, the session and its code. */
export const pairingUri = (baseUrl: string, sessionId: PairingSessionId, code: string): string =>
  `svc://pair?${new URLSearchParams({ session: sessionId, code, base_url: baseUrl }).toString()}`;
