import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServiceSecret } from '../platform/secrets/service-secret';
import { secretsEqual } from '../platform/secrets/tokens';

/**
 * A value that our own pages know and other sites cannot: it is derived from the session token, so nothing is stored,
 * and it ends with the session.
 */
@Injectable()
export class CsrfProofs {
  constructor(private readonly secret: ServiceSecret) {}

  of(sessionToken: string, number = this.secret.number): string {
    return createHmac('sha256', this.secret.key('csrf', number)).update(sessionToken).digest('base64url');
  }

  matches(given: string | undefined, sessionToken: string): boolean {
    if (given === undefined) return false;
    // An open page stays valid as long as its session, even if the service secret was rotated meanwhile.
    const numbers = Array.from({ length: this.secret.number }, (_, index) => this.secret.number - index);
    return numbers.some((number) => secretsEqual(given, this.of(sessionToken, number)));
  }
}
