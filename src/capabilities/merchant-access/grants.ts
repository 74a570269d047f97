import { Inject, Injectable } from '@nestjs/common';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { ForgottenPeople } from '../../access/forgotten-people';
import { newTokenFor } from '../../platform/secrets/bound-tokens';
import { hashToken } from '../../platform/secrets/tokens';
import { grant, type GrantCommand } from './grant';
import { GRANT_SECONDS } from './lifetimes';
import { namedBy, opens } from './one-time-token';
import { type AccountId, type GrantId, type MerchantId } from '../../kernel/aggregates';

/** Includes the event that issued it, which is the cause of everything that follows. */
type Issued = Readonly<{ grantId: GrantId; eventId: string | null }>;
export type NewGrant = Issued & Readonly<{ token: string; expiresAt: string }>;
export type OpenGrant = Issued & Readonly<{ accountId: AccountId; merchantId: MerchantId | null }>;

/** Issues and spends grants. */
@Injectable()
export class Grants {
  constructor(
    private readonly commands: CommandRunner,
    private readonly forgotten: ForgottenPeople,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A new grant is useless until its token is returned, so it may be issued before the step that leads to it. */
  async issue(accountId: AccountId, merchantId: MerchantId | null, context: CommandContext): Promise<NewGrant> {
    const now = this.clock.now();
    const grantId = newId('grt');
    const token = newTokenFor('grant', grantId);
    const tokenHash = hashToken(token);
    const expiresAt = timestamp(addSeconds(now, GRANT_SECONDS));
    const at = timestamp(now);
    const command = { kind: 'issue', grantId, accountId, merchantId, tokenHash, at, expiresAt } as const;
    const { eventId } = await this.commands.run(grant, grantId, command, context);
    return { grantId, eventId, token, expiresAt };
  }

  /** The grant for a token, if it can still be spent. */
  async openedBy(token: string): Promise<OpenGrant> {
    const grantId = namedBy('grant', 'grt', token);
    const { state, eventId, position } = await this.commands.fold(grant, grantId);
    if (!opens(token, state, timestamp(this.clock.now()))) throw refuse('invalid_grant');
    if (await this.forgotten.since(state.accountId, position)) throw refuse('invalid_grant');
    return { grantId, eventId, accountId: state.accountId, merchantId: state.merchantId };
  }

  /** Of all who try, exactly one gets past this. */
  async spend(command: Exclude<GrantCommand, { kind: 'issue' }>, context: CommandContext): Promise<void> {
    const { events } = await this.commands.run(grant, command.grantId, command, context);
    // No event means that another call just spent it on the very same thing.
    if (events.length === 0) throw refuse('invalid_grant');
  }
}

/** Sets the actor once a link or grant has identified the account. */
export const asAccount = (context: CommandContext, accountId: AccountId): CommandContext => ({
  ...context,
  actor: { kind: 'merchant_account', id: accountId },
});
