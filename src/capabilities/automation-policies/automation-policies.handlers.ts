import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { ConnectionStandings } from '../../access/connection-standing';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { type Fold } from '../../kernel/decider';
import { type Issue, refuse, refuseInput } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { type RecipientEvent } from '../recipients/recipient.events';
import { automationPolicy, type AutomationPolicyCommand } from './automation-policy';
import { type PolicyTerms } from './automation-policy.events';
import { termIssues } from './policy-terms';

/** Opt-in, opt-out and revocation, which need nothing but the policy itself. */
export class MovePolicy extends Command<void> {
  constructor(
    readonly command: Extract<AutomationPolicyCommand, { kind: 'opt-in' | 'opt-out' | 'revoke' }>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(MovePolicy)
export class MovePolicyHandler implements ICommandHandler<MovePolicy> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly connections: ConnectionStandings,
  ) {}

  async execute({ command, context }: MovePolicy): Promise<void> {
    if (command.kind === 'opt-in') {
      const { state } = await this.commands.fold(automationPolicy, command.policyId);
      if (state?.deviceId !== command.deviceId) throw refuse('resource_not_found');
      const standing = await this.connections.of(state.connectionId, state.merchantId);
      if (standing?.refusal === 'connection_revoked') throw refuse('connection_revoked');
    }
    await this.commands.run(automationPolicy, command.policyId, command, context);
  }
}

export type PolicyProposal = Readonly<{ connection_id: string; network: string; asset: string; terms: PolicyTerms }>;

export class CreatePolicy extends Command<string> {
  constructor(
    readonly proposal: PolicyProposal,
    readonly merchantId: string,
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
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ proposal, merchantId, context }: CreatePolicy): Promise<string> {
    const { terms, ...about } = proposal;
    const at = timestamp(this.clock.now());
    const [standing, strangers] = await Promise.all([
      this.connections.of(proposal.connection_id, merchantId),
      recipientIssues(this.commands, terms.allowlist, merchantId),
    ]);
    const issues = [...termIssues(terms, proposal.network, at), ...strangers];
    if (standing === undefined && issues.length === 0) throw refuse('resource_not_found');
    if (standing === undefined || issues.length > 0) {
      throw refuseInput([...(standing === undefined ? [UNKNOWN_CONNECTION] : []), ...issues]);
    }
    if (standing.refusal === 'connection_revoked') throw refuse('connection_revoked');
    const policyId = newId('pol');
    const created = {
      policy_id: policyId,
      merchant_id: merchantId,
      ...about,
      device_id: standing.agreed.device_id,
      agent_id: standing.agreed.agent_id,
      terms,
      created_at: at,
    };
    await this.commands.run(automationPolicy, policyId, { kind: 'create', policyId, created }, context);
    return policyId;
  }
}

export class ChangePolicy extends Command<void> {
  constructor(
    readonly policyId: string,
    readonly merchantId: string,
    readonly version: number,
    readonly changes: Partial<PolicyTerms>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangePolicy)
export class ChangePolicyHandler implements ICommandHandler<ChangePolicy> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ policyId, merchantId, version, changes, context }: ChangePolicy): Promise<void> {
    const { state } = await this.commands.fold(automationPolicy, policyId);
    if (state?.merchantId !== merchantId) throw refuse('resource_not_found');
    const at = timestamp(this.clock.now());
    const terms = { ...state.terms, ...changes };
    const strangers = await recipientIssues(this.commands, changes.allowlist ?? [], merchantId);
    const issues = [...termIssues(terms, state.network, at), ...strangers];
    if (issues.length > 0) throw refuseInput(issues);
    await this.commands.run(
      automationPolicy,
      policyId,
      { kind: 'change', policyId, merchantId, version, terms, at },
      context,
    );
  }
}

const UNKNOWN_CONNECTION: Issue = {
  code: 'resource_not_found',
  field: 'connection_id',
  message: 'is no connection of one of your agents; connect one first',
};

const RECIPIENT_ID = /^rcp_[0-9A-HJKMNP-TV-Z]{26}$/;

const recipientOwner: Fold<string | null, RecipientEvent> = {
  category: 'recipient',
  initial: null,
  evolve: (owner, event) => (event.type === 'RecipientCreated' ? event.data.merchant_id : owner),
};

/** One issue for each entry that is no recipient of this merchant. */
async function recipientIssues(
  commands: CommandRunner,
  allowlist: readonly string[],
  merchantId: string,
): Promise<readonly Issue[]> {
  const owners = await Promise.all(
    allowlist.map(async (id) => (RECIPIENT_ID.test(id) ? (await commands.fold(recipientOwner, id)).state : null)),
  );
  return owners.flatMap((owner, index) =>
    owner === merchantId
      ? []
      : [
          {
            code: 'resource_not_found',
            field: `allowlist.${index}`,
            message: 'is no recipient of yours; GET /v1/recipients lists them',
          },
        ],
  );
}
