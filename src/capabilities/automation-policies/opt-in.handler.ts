import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { ConnectionStandings } from '../../access/connection-standing';
import { complete, type Draft } from '../../http/input/draft';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { type OptInInput, termsIn } from './automation-policies.dto';
import { refuseEnded } from './automation-policies.handlers';
import { automationPolicy } from './automation-policy';
import { PolicyPayees } from './policy-payees';
import { looserIssues } from './policy-terms';
import { type WalletDeviceId, type PolicyId } from '../../kernel/aggregates';

export class OptIn extends Command<void> {
  constructor(
    readonly policyId: PolicyId,
    readonly deviceId: WalletDeviceId,
    readonly draft: Draft<OptInInput>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(OptIn)
export class OptInHandler implements ICommandHandler<OptIn> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly connections: ConnectionStandings,
    private readonly payees: PolicyPayees,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ policyId, deviceId, draft, context }: OptIn): Promise<void> {
    await this.payees.refuseMainNetworks(draft.entriesOf('allowlist'), { deviceId });
    const { state } = await this.commands.fold(automationPolicy, policyId);
    const known = state?.deviceId === deviceId ? state : undefined;
    const terms = termsIn(draft.sound);
    // For a valid input the decider checks this: only it knows for certain what is proposed when the person agrees.
    const looser = draft.issues.length > 0 && known !== undefined ? looserIssues(terms, known.proposed) : [];
    const { version, recipient_version_ids: shownVersions } = complete(draft, looser);
    if (known === undefined) throw refuse('resource_not_found');
    const { connectionId, merchantId } = known;
    const standing = await this.connections.of(connectionId, merchantId);
    refuseEnded(standing);
    const inForce = await this.payees.inForce(terms.allowlist ?? known.terms.allowlist, merchantId);
    const at = timestamp(this.clock.now());
    const command = { kind: 'opt-in', policyId, deviceId, version, shownVersions, terms, ...inForce, at } as const;
    await this.commands.run(automationPolicy, policyId, command, context);
  }
}
