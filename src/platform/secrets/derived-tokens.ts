import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { bytesOf } from '../../kernel/ids';
import { ServiceSecret } from './service-secret';
import { secretsEqual, type TokenKind, tokenPrefix } from './tokens';

/** Which token of a thing, and the number of the service secret it follows from. */
export type Generation = Readonly<{ generation: number; secret: number }>;

/**
 * Tokens that can be made again from the service secret. Where a token must survive a crash between the decision and the
 * answer, or be handed to two parties, nothing about it is stored at all: the log holds the generation, the secret the rest.
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

  matches(token: string, kind: TokenKind, id: string, generation: Generation): boolean {
    return secretsEqual(token, this.of(kind, id, generation));
  }
}
