import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../platform/secrets/service-secret';
import { secretsEqual } from '../platform/secrets/tokens';

/**
 * What a page of ours knows and another site cannot: it follows from the session's token, so nothing is stored, and it
 * ends with the session.
 */
@Injectable()
export class CsrfProofs {
  private readonly key: Buffer;

  constructor(secret: ServiceSecret) {
    this.key = secret.key('csrf');
  }

  of(sessionToken: string): string {
    return createHmac('sha256', this.key).update(sessionToken).digest('base64url');
  }

  matches(given: string | undefined, sessionToken: string): boolean {
    return given !== undefined && secretsEqual(given, this.of(sessionToken));
  }
}
