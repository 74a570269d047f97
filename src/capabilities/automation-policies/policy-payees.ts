import { Inject, Injectable } from '@nestjs/common';
import { connections } from '../../../projections/connections.projection';
import { type Owner } from '../../access/project.guard';
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
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';

/** Connections of a wallet, the newest. */
const MOST_LOOKED_AT = 200;

/** The recipients an allowlist names, as the log has them now. */
@Injectable()
export class PolicyPayees {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  /**
   * One on a main network ends the call, before anything else about it is looked at. A wallet knows the recipients of those
   * it is connected to; anybody else's are unknown, wherever they are.
   */
  async refuseMainNetworks(allowlist: readonly (string | undefined)[], owner: Owner): Promise<void> {
    const recipients = await this.find(allowlist);
    if (!recipients.some(isOnMainNetwork)) return;
    const known = await this.merchantsOf(owner);
    refuseMainNetworks(
      recipients.map((recipient) => (recipient && known.has(recipient.merchantId) ? recipient : null)),
    );
  }

  private async merchantsOf(owner: Owner): Promise<ReadonlySet<MerchantId>> {
    if ('merchantId' in owner) return new Set([owner.merchantId]);
    const { documents } = await this.readModel.find(connections, 'by_device', [owner.deviceId], {
      limit: MOST_LOOKED_AT,
    });
    return new Set(documents.map(({ merchant_id }) => merchant_id));
  }

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
              message: 'does not name a recipient of this merchant; its operators find them with GET /v1/recipients',
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

  private async read(
    allowlist: readonly (string | undefined)[],
    merchantId: MerchantId,
  ): Promise<readonly PayableRecipient[]> {
    const found = await this.find(allowlist);
    return found.map((recipient) => (recipient?.merchantId === merchantId ? recipient : null));
  }

  private find(allowlist: readonly (string | undefined)[]): Promise<readonly PayableRecipient[]> {
    return Promise.all(
      allowlist.map(async (id = '') =>
        isIdIn('recipient', id) ? (await this.commands.fold(payableRecipient, id)).state : null,
      ),
    );
  }
}

function refuseMainNetworks(recipients: readonly PayableRecipient[]): void {
  const main = recipients.findIndex(isOnMainNetwork);
  if (main !== -1) throw refuse('phase_0_mainnet_disabled', { field: `allowlist.${main}` });
}
