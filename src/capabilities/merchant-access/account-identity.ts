import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { idOfBytes } from '../../kernel/ids';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { type AccountId } from '../../kernel/aggregates';

/** Maps an address to its account, given the service secret; without it, the id reveals nothing. */
@Injectable()
export class AccountIdentity {
  constructor(private readonly secret: ServiceSecret) {}

  /** Keyed, because addresses can be guessed and a plain hash would reveal them. Always uses the first secret. */
  idOf(address: string): AccountId {
    const bytes = createHmac('sha256', this.secret.key('account-id', 1)).update(address).digest().subarray(0, 16);
    // The bits of a UUIDv8, for engines that insist on UUIDs.
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return idOfBytes('mac', bytes);
  }
}
