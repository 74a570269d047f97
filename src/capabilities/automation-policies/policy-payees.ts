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
import { type Activations, type Payees } from '../../events/automation-policy.events';
import { isIdIn, type MerchantId } from '../../kernel/aggregates';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';

/** How many of a wallet's connections to read, newest first. */
const MAX_CONNECTIONS = 200;

/** The recipients on an allowlist, as currently in the log. */
@Injectable()
export class PolicyPayees {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  /**
   * Refuses the call if a recipient is on a mainnet, before checking anything else about it. A wallet knows the
   * recipients of the merchants it is connected to; all others count as unknown, whatever their network.
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
      limit: MAX_CONNECTIONS,
      order: 'desc',
    });
    return new Set(documents.map(({ merchant_id }) => merchant_id));
  }

  /**
   * One issue for each entry that is not a recipient of this merchant; entries that are invalid in themselves are
   * undefined here. A recipient on a mainnet refuses the call.
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

  /** The active version of each: what a person agrees to is paid to that version and no other, until it is replaced. */
  async inForce(
    allowlist: readonly string[],
    merchantId: MerchantId,
  ): Promise<Readonly<{ payees: Payees; activations: Activations }>> {
    const recipients = await this.read(allowlist, merchantId);
    refuseMainNetworks(recipients);
    const versions = recipients.map((recipient) => (recipient ? versionInForce(recipient)?.versionId : undefined));
    return {
      payees: Object.fromEntries(allowlist.map((id, index) => [id, versions[index] ?? null])),
      activations: Object.fromEntries(allowlist.map((id, index) => [id, recipients[index]?.activations ?? 0])),
    };
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
