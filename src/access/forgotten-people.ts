import { Inject, Injectable } from '@nestjs/common';
import { type MerchantAccountEvent } from '../events/merchant-account.events';
import { type AccountId } from '../kernel/aggregates';
import { type Fold } from '../kernel/decider';
import { type Position } from '../platform/event-store/event-store.port';
import { CommandRunner } from '../platform/event-store/run-command';
import {
  isLiving,
  type KeptKey,
  PERSONAL_KEY_STORE,
  type PersonalKeyStore,
  UnreadableKey,
} from '../platform/read-model/personal-key-store.port';

type Sealing = Readonly<{ keyId: string | null; hasReturned: boolean }>;

/** The key that the person's address was last sealed with, and whether that was not the first one. */
const sealing: Fold<Sealing, MerchantAccountEvent> = {
  category: 'merchant_account',
  initial: { keyId: null, hasReturned: false },
  evolve: (before, event) =>
    event.type === 'MerchantAccountAddressSealed'
      ? { keyId: event.data.key_id, hasReturned: before.keyId !== null }
      : before,
};

/**
 * Sessions, grants and links of a person whose key was destroyed no longer work, at once and for good, even if the
 * person returns: the command that destroys the key cannot write to the log, so whoever admits them asks here.
 */
@Injectable()
export class ForgottenPeople {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(PERSONAL_KEY_STORE) private readonly keys: PersonalKeyStore,
  ) {}

  /** Whether the person was forgotten after what is at this position of the log was issued. */
  async since(accountId: AccountId, issuedAt: Position): Promise<boolean> {
    const key = await this.keyOf(accountId);
    // Accounts from before people had keys have none.
    if (key === undefined) return false;
    if (!isLiving(key)) return true;
    const { state, position } = await this.commands.fold(sealing, accountId);
    // A person who is just returning has a new key before the log names it.
    if (state.keyId !== key.keyId) return state.keyId !== null;
    return state.hasReturned && issuedAt < position;
  }

  /** A damaged key is no reason to lock somebody out. */
  private async keyOf(accountId: AccountId): Promise<KeptKey | undefined> {
    try {
      return await this.keys.find(accountId);
    } catch (error) {
      if (error instanceof UnreadableKey) return undefined;
      throw error;
    }
  }
}
