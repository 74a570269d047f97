import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { bytesOf } from '../../kernel/ids';
import { ServiceSecret } from './service-secret';
import { secretsEqual, type TokenKind, tokenPrefix } from './tokens';

/** Which token of a thing, and the number of the service secret it is derived from. */
export type Generation = Readonly<{ generation: number; secret: number }>;

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

  matches(token: string, kind: TokenKind, id: string, generation: Generation): boolean {
    return secretsEqual(token, this.of(kind, id, generation));
  }
}
