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
  constructor(private readonly secret: ServiceSecret) {}

  of(sessionToken: string, number = this.secret.number): string {
    return createHmac('sha256', this.secret.key('csrf', number)).update(sessionToken).digest('base64url');
  }

  matches(given: string | undefined, sessionToken: string): boolean {
    if (given === undefined) return false;
    // A page that is open stays as good as its session, also when the service secret was replaced meanwhile.
    const numbers = Array.from({ length: this.secret.number }, (_, index) => this.secret.number - index);
    return numbers.some((number) => secretsEqual(given, this.of(sessionToken, number)));
  }
}
