import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { bytesOf } from '../../kernel/ids';
import { ServiceSecret } from './service-secret';
import { secretsEqual, type TokenKind, tokenPrefix } from './tokens';

/**
 * Tokens that can be made again from the service secret. Where a token must survive a crash between the decision and the
 * answer, or be handed to two parties, nothing about it is stored at all: the log holds the generation, the secret the rest.
 */
@Injectable()
export class DerivedTokens {
  private readonly key: Buffer;

  constructor(secret: ServiceSecret) {
    this.key = secret.key('derived-tokens');
  }

  of(kind: TokenKind, id: string, generation: number): string {
    const mac = createHmac('sha256', this.key)
      .update(JSON.stringify([kind, id, generation]))
      .digest();
    return tokenPrefix[kind] + Buffer.concat([bytesOf(id), mac]).toString('base64url');
  }

  matches(token: string, kind: TokenKind, id: string, generation: number): boolean {
    return secretsEqual(token, this.of(kind, id, generation));
  }
}
