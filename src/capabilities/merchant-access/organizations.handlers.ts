import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { causedBy, type CommandContext } from '../../platform/event-store/event-codec';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { streamName } from '../../platform/event-store/stream-name';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { grant } from './grant';
import { asAccount, Grants, type NewGrant } from './grants';
import { isSpentOnMerchant, OpenOrganization } from './open-organization';
import { type GrantId, idFor, type MerchantId } from '../../kernel/aggregates';

export type CreatedMerchant = Readonly<{ merchantId: MerchantId; nextGrant: NewGrant }>;

/** Spends a grant on a new organization and returns the next grant, which opens a session there. */
export class CreateMerchant extends Command<CreatedMerchant> {
  constructor(
    readonly grantToken: string,
    readonly name: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateMerchant)
export class CreateMerchantHandler implements ICommandHandler<CreateMerchant> {
  constructor(
    private readonly grants: Grants,
    private readonly opening: OpenOrganization,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ grantToken, name, context }: CreateMerchant): Promise<CreatedMerchant> {
    const { grantId, eventId, accountId, merchantId: bound } = await this.grants.openedBy(grantToken);
    if (bound !== null) throw refuse('invalid_grant');
    const account = asAccount(context, accountId);
    const merchantId = idFor.merchantOf(grantId);
    const nextGrant = await this.grants.issue(accountId, merchantId, causedBy(account, eventId));
    const at = timestamp(this.clock.now());
    const spend = { kind: 'spend-on-merchant', grantId, merchantId, name, at } as const;
    await this.grants.spend(spend, causedBy(account, nextGrant.eventId));
    await this.createMerchant(grantId);
    return { merchantId, nextGrant };
  }

  /** Uses the recorded event, exactly as the reactor would. */
  private async createMerchant(grantId: GrantId): Promise<void> {
    const events = await this.store.readStream(streamName(grant.category, grantId));
    const spent = events.find(isSpentOnMerchant);
    if (spent === undefined)
      throw new Error(`grant ${grantId} was spent on a merchant, but its stream does not say so`);
    await this.opening.after(spent);
  }
}
