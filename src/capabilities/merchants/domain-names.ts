import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { ignored, reactorTo } from '../../platform/reacting/reactor';
import { Reactors } from '../../platform/reacting/reactors';
import { newId } from '../../kernel/ids';
import { type DomainHolder, type DomainNameProven } from '../../events/domain-name.events';
import { type MerchantDomainVerified } from '../../events/merchant.events';
import { idFor } from '../../kernel/aggregates';
import { domainName, isSame } from './domain-name';
import { merchant } from './merchant';

export type Proven = Readonly<{ domain: string; holder: DomainHolder; at: string }>;

/**
 * What follows from a proof in a merchant's stream: the name has a new holder, and the proof that another merchant had
 * of it is superseded. Each step may run twice; what an interruption leaves open is completed after the restart.
 */
@Injectable()
export class DomainNames implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
  ) {}

  onModuleInit(): void {
    this.reactors.add(
      reactorTo<'merchant' | 'domain_name'>('domain-names', {
        MerchantCreated: ignored,
        MerchantRenamed: ignored,
        MerchantActivated: ignored,
        MerchantDomainRegistered: ignored,
        MerchantDomainVerified: (event) => this.take(provenBy(event), causedBy(event)),
        MerchantDomainSuperseded: ignored,
        MerchantDomainGivenUp: ignored,
        DomainNameProven: (event) => this.supersede(event.data),
        DomainNameSeen: ignored,
        DomainNameMissed: ignored,
      }),
    );
  }

  /** Before the answer to whoever proved the name: from then on only this proof holds. */
  async settle(proven: Proven, context: CommandContext): Promise<void> {
    const { superseded } = await this.take(proven, context);
    if (superseded !== null) await this.supersede({ superseded, proven_at: proven.at });
  }

  /** False if the name has another holder. */
  async see({ domain, holder, at }: Proven, location: string, context: CommandContext): Promise<boolean> {
    const nameId = idFor.domainName(domain);
    const command = { kind: 'see', nameId, holder, location, at } as const;
    const { state } = await this.commands.run(domainName, nameId, command, context);
    return isSame(holder, state.holder);
  }

  async miss({ domain, holder, at }: Proven, reason: string): Promise<void> {
    const nameId = idFor.domainName(domain);
    await this.commands.run(domainName, nameId, { kind: 'miss', nameId, holder, reason, at }, ownContext());
  }

  private async take({ domain, holder, at }: Proven, context: CommandContext) {
    const nameId = idFor.domainName(domain);
    return (await this.commands.run(domainName, nameId, { kind: 'take', nameId, domain, holder, at }, context)).state;
  }

  /**
   * The service speaks here, under a request id of its own: who proved the name is none of the business of the merchant
   * that had proven it before, and callers choose their request ids.
   */
  private async supersede({
    superseded,
    proven_at: at,
  }: Pick<DomainNameProven['data'], 'superseded' | 'proven_at'>): Promise<void> {
    if (superseded === null) return;
    const { merchant_id: merchantId, domain_id: domainId, proof_version: proofVersion } = superseded;
    const command = { kind: 'supersede-domain', merchantId, domainId, proofVersion, at } as const;
    await this.commands.run(merchant, merchantId, command, ownContext());
  }
}

const provenBy = ({ data, version }: RecordedEvent & MerchantDomainVerified): Proven => ({
  domain: data.domain,
  holder: { merchant_id: data.merchant_id, domain_id: data.domain_id, proof_version: version },
  at: data.verified_at,
});

const ownContext = (): CommandContext => ({ requestId: newId('req'), actor: { kind: 'service', id: 'domain-names' } });

const causedBy = ({ metadata }: RecordedEvent): CommandContext => ({
  requestId: metadata.request_id,
  actor: metadata.actor,
  causationId: metadata.event_id,
});
