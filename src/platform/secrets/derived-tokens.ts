import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { bytesOf } from '../../kernel/ids';
import { ServiceSecret } from './service-secret';
import { secretsEqual, type TokenKind, tokenMatches, tokenPrefix } from './tokens';

/** Which token of a thing, and the number of the service secret it is derived from. */
export type Generation = Readonly<{ generation: number; secret: number }>;

/** What the log keeps of a secret that was shown when its owner was made: its hash, and when. */
export type Shown = Readonly<{ hash: string; at: string }>;

/** How long a secret that is shown once is shown again to a call that is repeated under its idempotency key. */
const SHOWN_AGAIN_MS = 10 * 60_000;

export const isShownAgain = (at: string, now: Date): boolean => now.getTime() - Date.parse(at) < SHOWN_AGAIN_MS;

/**
 * Tokens that can be derived again from the service secret. Where a token must survive a crash between decision and
 * response, or go to two parties, it is not stored at all: the log holds the generation, the secret yields the rest.
 */
@Injectable()
export class DerivedTokens {
  constructor(private readonly secret: ServiceSecret) {}

  of(kind: TokenKind, id: string, { generation, secret }: Generation): string {
    const mac = createHmac('sha256', this.secret.key('derived-tokens', secret))
      .update(JSON.stringify([kind, id, generation]))
      .digest();
    return tokenPrefix[kind] + Buffer.concat([bytesOf(id), mac]).toString('base64url');
  }

  /**
   * The token that replaces another in the rotation with this id. Who holds the replaced token and knows the id can be
   * given it again, and nobody else.
   */
  replacing(kind: TokenKind, id: string, replacedHash: string, rotationId: string): string {
    const mac = createHmac('sha256', this.secret.key('derived-tokens'))
      .update(JSON.stringify([kind, id, replacedHash, rotationId]))
      .digest();
    return tokenPrefix[kind] + mac.toString('base64url');
  }

  /** The token of a thing that is made under an idempotency key, so that it can be shown again. */
  first(kind: TokenKind, id: string): string {
    return this.of(kind, id, { generation: 1, secret: this.secret.number });
  }

  /** That token once more; undefined ten minutes after it was shown. */
  firstAgain(kind: TokenKind, id: string, shown: Shown, now: Date): string | undefined {
    return this.again(shown, now, (secret) => this.of(kind, id, { generation: 1, secret }));
  }

  /** Unguessable text for one purpose, which can be derived again like a first token. */
  nonce(purpose: string, id: string, secret = this.secret.number): string {
    return createHmac('sha256', this.secret.key('derived-tokens', secret))
      .update(JSON.stringify([purpose, id]))
      .digest('base64url');
  }

  /** The service secret may have been replaced since: what is derived from the right one has the hash. */
  again(shown: Shown, now: Date, derive: (secret: number) => string): string | undefined {
    if (!isShownAgain(shown.at, now)) return undefined;
    for (let secret = this.secret.number; secret > 0; secret -= 1) {
      const text = derive(secret);
      if (tokenMatches(text, shown.hash)) return text;
    }
    return undefined;
  }

  matches(token: string, kind: TokenKind, id: string, generation: Generation): boolean {
    return secretsEqual(token, this.of(kind, id, generation));
  }
}
