import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type Issue, refuse } from '../../kernel/errors';
import {
  isOnMainNetwork,
  payableRecipient,
  type PayableRecipient,
  versionInForce,
} from '../payments/payable-recipient';
import { type Payees } from '../../events/automation-policy.events';
import { isIdIn, type MerchantId } from '../../kernel/aggregates';

/** The recipients an allowlist names, as the log has them now. */
@Injectable()
export class PolicyPayees {
  constructor(private readonly commands: CommandRunner) {}

  /**
   * One issue for each entry that is no recipient of this merchant; what is wrong in itself is undefined here. One on a
   * main network ends the call.
   */
  async issuesIn(allowlist: readonly (string | undefined)[], merchantId: MerchantId): Promise<readonly Issue[]> {
    const recipients = await this.read(allowlist, merchantId);
    refuseMainNetworks(recipients);
    return recipients.flatMap((recipient, index) =>
      recipient === null && allowlist[index] !== undefined
        ? [
            {
              code: 'resource_not_found',
              field: `allowlist.${index}`,
              message: 'is no recipient of yours; GET /v1/recipients lists them',
            },
          ]
        : [],
    );
  }

  /** Which version of each is in use: what a person agrees to is paid to that one and no other. */
  async inForce(allowlist: readonly string[], merchantId: MerchantId): Promise<Payees> {
    const recipients = await this.read(allowlist, merchantId);
    refuseMainNetworks(recipients);
    const versions = recipients.map((recipient) => (recipient ? versionInForce(recipient)?.versionId : undefined));
    return Object.fromEntries(allowlist.map((id, index) => [id, versions[index] ?? null]));
  }

  private read(
    allowlist: readonly (string | undefined)[],
    merchantId: MerchantId,
  ): Promise<readonly PayableRecipient[]> {
    return Promise.all(
      allowlist.map(async (id = '') => {
        const recipient = isIdIn('recipient', id) ? (await this.commands.fold(payableRecipient, id)).state : null;
        return recipient?.merchantId === merchantId ? recipient : null;
      }),
    );
  }
}

function refuseMainNetworks(recipients: readonly PayableRecipient[]): void {
  const main = recipients.findIndex(isOnMainNetwork);
  if (main !== -1) throw refuse('phase_0_mainnet_disabled', { field: `allowlist.${main}` });
}
