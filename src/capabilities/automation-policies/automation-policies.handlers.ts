import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type ConnectionStanding, ConnectionStandings } from '../../access/connection-standing';
import { type Owner } from '../../access/project.guard';
import { complete, type Draft, staleVersion } from '../../http/input/draft';
import { type KeyedDraft, type Made } from '../../http/input/keyed-draft';
import { assertSameIntent, type MadeUnderKey, underKey } from '../../kernel/made-under-key';
import { Projector } from '../../platform/projecting/projector';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { type Issue, refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { assetNameIssues, networkNamed } from '../../networks';
import { type ChangePolicyInput, type CreatePolicyInput, termsIn } from './automation-policies.dto';
import { automationPolicy, changedMeanwhile, type AutomationPolicyCommand, isEnded } from './automation-policy';
import { PolicySlots } from './policy-slots';
import { type PolicyTerms } from '../../events/automation-policy.events';
import { PolicyPayees } from './policy-payees';
import { termIssues } from './policy-terms';
import { type ConnectionId, idFor, type MerchantId, type PolicyId } from '../../kernel/aggregates';

/** Opting out, declining and revoking, which need nothing but the policy itself. */
export class MovePolicy extends Command<void> {
  constructor(
    readonly command: Extract<AutomationPolicyCommand, { kind: 'opt-out' | 'decline' | 'revoke' }>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(MovePolicy)
export class MovePolicyHandler implements ICommandHandler<MovePolicy> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ command, context }: MovePolicy): Promise<void> {
    await this.commands.run(automationPolicy, command.policyId, command, context);
  }
}

/** Created by an operator, it is a proposal; created by the wallet that owns the connection, it is in force at once. */
export class CreatePolicy extends Command<Made<PolicyId>> {
  constructor(
    readonly draft: KeyedDraft<CreatePolicyInput>,
    readonly owner: Owner,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreatePolicy)
export class CreatePolicyHandler implements ICommandHandler<CreatePolicy> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly connections: ConnectionStandings,
    private readonly payees: PolicyPayees,
    private readonly projector: Projector,
    private readonly slots: PolicySlots,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ draft, owner, context }: CreatePolicy): Promise<Made<PolicyId>> {
    const { sound, under } = draft;
    const holder = 'merchantId' in owner ? owner.merchantId : owner.deviceId;
    const policyId = under ? idFor.underKey('pol', holder, under.idempotency_key) : newId('pol');
    // Check for a repeat first: it gets the same response even if connection or recipients have changed since.
    const repeat = under && (await this.madeBefore(policyId, under));
    if (repeat !== undefined) return repeat;
    const at = timestamp(this.clock.now());
    await this.payees.refuseMainNetworks(draft.entriesOf('allowlist'), owner);
    const standing = await this.standingOf(sound.connection_id, owner);
    const merchantId = 'merchantId' in owner ? owner.merchantId : standing?.agreed.merchant_id;
    // The connection determines whose recipients may be listed; without one there is no merchant to check against.
    const foreignPayees = merchantId ? await this.payees.issuesIn(draft.entriesOf('allowlist'), merchantId) : [];
    const isUnknown = sound.connection_id !== undefined && standing === undefined;
    const found = [
      ...(isUnknown ? [UNKNOWN_CONNECTION] : []),
      ...assetIssues(sound),
      ...termIssues(termsIn(sound), sound.network, at),
      ...foreignPayees,
    ];
    const { connection_id, network, asset, replaces, ...input } = complete(draft, found, (issue) =>
      issue === UNKNOWN_CONNECTION ? refuse('resource_not_found') : undefined,
    );
    if (standing === undefined) throw refuse('resource_not_found');
    refuseEnded(standing);

    const { merchant_id, device_id, agent_id } = standing.agreed;
    const names = { policy_id: policyId, merchant_id };
    const terms = termsIn(input) as PolicyTerms;
    const created = {
      ...names,
      connection_id,
      network,
      asset,
      device_id,
      agent_id,
      terms,
      created_at: at,
      ...underKey(under),
    };
    if ('merchantId' in owner) {
      const { events } = await this.commands.run(
        automationPolicy,
        policyId,
        { kind: 'create', policyId, created },
        context,
      );
      return { id: policyId, replayed: events.length === 0 };
    }
    const inForce = await this.payees.inForce(terms.allowlist, merchant_id);
    const agreed = { ...names, device_id, opted_in_at: at, ...inForce };
    const taking = { ...names, connection_id, network, asset, created, agreed, policy_version: 0, taken_at: at };
    const about = { connectionId: connection_id, network, asset };
    const before = async () => under && (await this.madeBefore(policyId, under));
    const judge = async () => ((await before()) === undefined ? taking : undefined);
    return { id: policyId, replayed: (await this.slots.take(about, judge, replaces, context)) === undefined };
  }

  private async madeBefore(id: PolicyId, under: MadeUnderKey): Promise<Made<PolicyId> | undefined> {
    const { state, position } = await this.commands.fold(automationPolicy, id);
    if (state === null) return undefined;
    assertSameIntent(state.under, under);
    // Another process may just have written it: wait until the read model shows it.
    await this.projector.progress.passed(position);
    return { id, replayed: true };
  }

  private standingOf(connectionId: ConnectionId | undefined, owner: Owner) {
    return 'merchantId' in owner
      ? this.connections.of(connectionId, owner.merchantId)
      : this.connections.ofDevice(connectionId, owner.deviceId);
  }
}

export class ChangePolicy extends Command<void> {
  constructor(
    readonly policyId: PolicyId,
    readonly merchantId: MerchantId,
    readonly draft: Draft<ChangePolicyInput>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangePolicy)
export class ChangePolicyHandler implements ICommandHandler<ChangePolicy> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly payees: PolicyPayees,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ policyId, merchantId, draft, context }: ChangePolicy): Promise<void> {
    const at = timestamp(this.clock.now());
    const foreignPayees = await this.payees.issuesIn(draft.entriesOf('allowlist'), merchantId);
    const { state } = await this.commands.fold(automationPolicy, policyId);
    const known = state?.merchantId === merchantId ? state : undefined;
    const terms = { ...known?.terms, ...termsIn(draft.sound) } as PolicyTerms;
    const found = [...termIssues(terms, known?.network, at), ...foreignPayees];
    const hasOthers = draft.issues.length + found.length > 0;
    const { version } = complete(draft, hasOthers ? [...found, ...staleVersion(draft.sound, known)] : []);
    // The terms were completed with those of the version that was read: they are no change to any other.
    if (known !== undefined && !isEnded(known) && version !== known.version) throw changedMeanwhile(known);
    const command = { kind: 'change', policyId, merchantId, version, terms, at } as const;
    await this.commands.run(automationPolicy, policyId, command, context);
  }
}

/** Assets are compared as they are written: a policy for `xlm` would never permit a payment in XLM. */
function assetIssues({ network: name, asset }: Partial<CreatePolicyInput>): readonly Issue[] {
  const network = networkNamed(name ?? '');
  return network === undefined || asset === undefined ? [] : assetNameIssues(network, asset);
}

const UNKNOWN_CONNECTION: Issue = {
  code: 'resource_not_found',
  field: 'connection_id',
  message: 'does not name a connection of one of your agents; connect an agent first',
};

/** Refuses revoked connections; a paused one may proceed. */
export function refuseEnded(standing: ConnectionStanding | undefined): void {
  const refusal = standing?.refusal;
  if (refusal === 'connection_revoked' || refusal === 'credential_revoked') throw refuse(refusal);
}
