import { Inject, Injectable } from '@nestjs/common';
import { automationPolicies } from '../../../projections/automation-policies.projection';
import { causedBy, type CommandContext } from '../../platform/event-store/event-codec';
import { StoreUnavailable } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type PolicySlotTaken } from '../../events/policy-slot.events';
import { type ConnectionId, idFor, type PolicyId } from '../../kernel/aggregates';
import { automationPolicy, type KnownPolicy } from './automation-policy';
import { type HolderNow, policySlot, type PolicySlotState, type TakeSlot } from './policy-slot';

type Taken = PolicySlotTaken['data'];
export type Taking = TakeSlot['taking'];

type About = Readonly<{ connectionId: ConnectionId; network: string; asset: string }>;

/** More than the calls that can be about one slot at the same time and all lose. */
const MAX_TURNS = 200;

/** Lets one policy at a time count for its connection, network and asset. */
@Injectable()
export class PolicySlots {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  /**
   * Takes the slot for a policy and carries out what that means. Refuses while another policy counts, unless that is the
   * one to be replaced. `judge` says what is agreed to as things are now; undefined if there is nothing left to do.
   */
  async take(
    { connectionId, network, asset }: About,
    judge: () => Promise<Taking | undefined>,
    replaces: PolicyId | undefined,
    context: CommandContext,
  ): Promise<Taken | undefined> {
    const slotId = idFor.policySlot(connectionId, network, asset);
    for (let look = 0; look < MAX_TURNS; look += 1) {
      const { state, eventId } = await this.commands.fold(policySlot, slotId);
      // What was begun and not finished comes first: only then is it known whether the holder counts.
      if (state !== null) await this.finish(state, causedBy(context, eventId));
      const taking = await judge();
      if (taking === undefined) return undefined;
      const command = { slotId, seen: state?.turn ?? 0, holder: await this.holderNow(state, taking), replaces, taking };
      const taken = await this.commands.run(policySlot, slotId, command, context, { untilReadable: false });
      const mine = taken.events[0]?.data;
      if (mine === undefined) continue;
      await this.finish(mine, causedBy(context, taken.eventId));
      return mine;
    }
    throw new StoreUnavailable('unknown', new Error(`${slotId}: ${MAX_TURNS} others in a row`));
  }

  /** Each step may be repeated by anyone at any time. The replaced policy stops counting before the new one begins. */
  async finish(taken: Taken, context: CommandContext): Promise<void> {
    const { policy_id: policyId, replaces, created, agreed, turn, policy_version: version, taken_at: at } = taken;
    if (replaces !== null) {
      await this.commands.run(
        automationPolicy,
        replaces,
        { kind: 'replace', policyId: replaces, by: policyId, turn, at },
        context,
      );
    }
    const opted = { ...agreed, turn, ...(replaces === null ? {} : { replaces }) };
    const command =
      created === null
        ? ({ kind: 'confirm', policyId, agreed: opted, turn, version, at } as const)
        : ({ kind: 'create', policyId, created, agreed: opted } as const);
    await this.commands.run(automationPolicy, policyId, command, context);
  }

  private async holderNow(state: PolicySlotState, taking: Taking): Promise<HolderNow> {
    const holderId = state?.policy_id ?? (await this.countingBefore(taking));
    if (holderId === undefined) return null;
    const { state: policy } = await this.commands.fold(automationPolicy, holderId);
    return { policyId: holderId, ...standing(policy, taking.taken_at) };
  }

  /** A log from before there were slots may have a policy that counts without one. */
  private async countingBefore({ connection_id, network, asset, policy_id }: Taking): Promise<PolicyId | undefined> {
    const equals = [connection_id, network, asset, 'active'];
    const { documents } = await this.readModel.find(automationPolicies, 'in_force', equals, { limit: 2 });
    return documents.find(({ id }) => id !== policy_id)?.id;
  }
}

function standing(policy: KnownPolicy | null, at: string): Readonly<{ counts: boolean; isOver: boolean }> {
  const isActive = policy?.status === 'active';
  const isOver = isActive && policy.terms.valid_until <= at;
  return { counts: isActive && !isOver, isOver };
}
