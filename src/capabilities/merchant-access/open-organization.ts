import { Injectable } from '@nestjs/common';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type GrantSpentOnMerchant } from '../../events/grant.events';
import { organization } from './organization';

export const isSpentOnMerchant = (event: RecordedEvent): event is RecordedEvent & GrantSpentOnMerchant =>
  event.type === 'GrantSpentOnMerchant';

/** Creates the merchant a grant was spent on. Idempotent, and the event holds all it needs: anyone may run it. */
@Injectable()
export class OpenOrganization {
  constructor(private readonly commands: CommandRunner) {}

  async after({ data, metadata }: RecordedEvent & GrantSpentOnMerchant): Promise<void> {
    const { merchant_id: merchantId, account_id: accountId, name, spent_at: at } = data;
    await this.commands.run(
      organization,
      merchantId,
      { kind: 'open', merchantId, accountId, name, at },
      { requestId: metadata.request_id, actor: metadata.actor, causationId: metadata.event_id },
    );
  }
}
