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
import { Projector } from '../../platform/projecting/projector';
import { automationPolicy, cannotMove, changedMeanwhile, isEnded } from './automation-policy';
import { PolicySlots, type Taking } from './policy-slots';
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
    private readonly projector: Projector,
    private readonly slots: PolicySlots,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ policyId, deviceId, draft, context }: OptIn): Promise<void> {
    await this.payees.refuseMainNetworks(draft.entriesOf('allowlist'), { deviceId });
    const { state } = await this.commands.fold(automationPolicy, policyId);
    const known = state?.deviceId === deviceId ? state : undefined;
    const terms = termsIn(draft.sound);
    // For a valid input the decider checks this: only it knows for certain what is proposed when the person agrees.
    const looser = draft.issues.length > 0 && known !== undefined ? looserIssues(terms, known.proposed) : [];
    const { version, recipient_version_ids: shownVersions, replaces } = complete(draft, looser);
    if (known === undefined) throw refuse('resource_not_found');
    const { connectionId, merchantId, network, asset } = known;
    const standing = await this.connections.of(connectionId, merchantId);
    refuseEnded(standing);
    const inForce = await this.payees.inForce(terms.allowlist ?? known.terms.allowlist, merchantId);
    const at = timestamp(this.clock.now());
    const command = { kind: 'opt-in', policyId, deviceId, version, shownVersions, terms, ...inForce, at } as const;
    const judge = async (): Promise<Taking | undefined> => {
      const { state: newest, position } = await this.commands.fold(automationPolicy, policyId);
      const [agreed] = automationPolicy.decide(command, newest);
      if (agreed?.type === 'AutomationPolicyOptedIn' && newest !== null) {
        const about = { merchant_id: merchantId, connection_id: connectionId, network, asset, policy_id: policyId };
        return { ...about, created: null, agreed: agreed.data, policy_version: newest.version, taken_at: at };
      }
      await this.projector.progress.passed(position);
      return undefined;
    };
    const taken = await this.slots.take({ connectionId, network, asset }, judge, replaces, context);
    if (taken === undefined) return;
    const { state: after } = await this.commands.fold(automationPolicy, policyId);
    if (after === null || after.turn.number !== taken.turn || !after.turn.lapsed) return;
    throw isEnded(after) ? cannotMove(after) : changedMeanwhile(after);
  }
}
