import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type ApiKeyCaller } from '../../access/api-key.guard';
import { type Scope } from '../../access/connection.guard';
import { ConnectionStandings } from '../../access/connection-standing';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { derivedId, newId } from '../../kernel/ids';
import { defaultExpiry } from '../../kernel/request-lifetime';
import { isOnMainNetwork, payableRecipient, type PinnedVersion } from '../payments/payable-recipient';
import { refusalFor } from '../../kernel/refusal-for';
import { Projector } from '../../platform/projecting/projector';
import { agentPayment, type KnownPayment } from './agent-payment';
import { type AgentPaymentCreated } from './agent-payment.events';
import { judge, type Surroundings } from './judge';
import { PaymentsAlone } from './payments-alone';
import { policyBudget } from './policy-budget';
import { type Placed } from './reservations';
import { type Intent, intentDigest, type Submission } from './submission';

type Draft = AgentPaymentCreated['data'];
export type Created = Readonly<{ paymentId: string; replayed: boolean }>;

export class CreateAgentPayment extends Command<Created> {
  constructor(
    readonly submission: Submission,
    readonly caller: ApiKeyCaller,
    readonly context: CommandContext,
  ) {
    super();
  }
}

const RECIPIENT_ID = /^rcp_[0-9A-HJKMNP-TV-Z]{26}$/;
const NEEDED_SCOPE: Scope = 'payment.requests.create';
const POLICY_ID = /^pol_[0-9A-HJKMNP-TV-Z]{26}$/;

@CommandHandler(CreateAgentPayment)
export class CreateAgentPaymentHandler implements ICommandHandler<CreateAgentPayment> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly connections: ConnectionStandings,
    private readonly alone: PaymentsAlone,
    private readonly projector: Projector,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ submission, caller, context }: CreateAgentPayment): Promise<Created> {
    const { issues, sound, intent, idempotencyKey: key } = submission;
    const paymentId = key === undefined ? newId('ap') : derivedId('ap', caller.merchantId, 'key', key);
    // A repeat is answered whatever has become of recipient, connection and policy since; so it is looked for first.
    const digest = intent && intentDigest(intent);
    const found = digest && key !== undefined ? await this.replay(paymentId, digest) : undefined;
    if (found !== undefined) return found;

    const now = this.clock.now();
    const around = await this.surroundings(sound, caller.merchantId);
    // A recipient on a main network names that network, whatever else the call says.
    const isOwn = around.recipient?.merchantId === caller.merchantId;
    if (isOwn && isOnMainNetwork(around.recipient)) throw refuse('phase_0_mainnet_disabled', { field: 'recipient_id' });
    const verdict = judge(sound, around, now);
    const problems = [...issues, ...verdict.issues];
    const { connection } = around;
    if (problems.length > 0 || !intent || !digest || !verdict.pinned || !connection) throw refusalFor(problems);
    if (connection.refusal !== undefined) throw refuse(connection.refusal);
    // What the person granted over the connection bounds this surface too.
    if (!connection.agreed.scopes.includes(NEEDED_SCOPE)) {
      throw refuse('insufficient_scope', { details: { required_scope: NEEDED_SCOPE } });
    }

    const draft: Draft = {
      ...draftOf(intent, verdict.pinned, now),
      payment_id: paymentId,
      merchant_id: caller.merchantId,
      api_key_id: caller.apiKeyId,
      device_id: connection.agreed.device_id,
      agent_id: connection.agreed.agent_id,
      idempotency_key: key ?? null,
      intent_digest: digest,
    };
    const { payment, isNew } = await (intent.initiator === 'human'
      ? this.create(draft, context)
      : this.alone.place(draft, intent.policy_id, context));
    assertSameIntent(payment, digest);
    return { paymentId, replayed: !isNew };
  }

  private async surroundings(sound: Partial<Intent>, merchantId: string): Promise<Surroundings> {
    const { recipient_id: recipientId = '', connection_id: connectionId, policy_id: policyId = '' } = sound;
    const [recipient, connection, policy] = await Promise.all([
      RECIPIENT_ID.test(recipientId) ? this.commands.fold(payableRecipient, recipientId) : undefined,
      this.connections.of(connectionId, merchantId),
      POLICY_ID.test(policyId) ? this.commands.fold(policyBudget, policyId) : undefined,
    ]);
    return { merchantId, recipient: recipient?.state ?? null, connection, policy: policy?.state ?? null };
  }

  private async create(draft: Draft, context: CommandContext): Promise<Placed> {
    const command = { kind: 'create', created: draft } as const;
    const { state, events } = await this.commands.run(agentPayment, draft.payment_id, command, context);
    if (state.kind !== 'payment') throw new Error('a created payment is not there');
    return { payment: state, isNew: events.length > 0 };
  }

  private async replay(paymentId: string, digest: string): Promise<Created | undefined> {
    const { state, position } = await this.commands.fold(agentPayment, paymentId);
    if (state.kind !== 'payment') return undefined;
    assertSameIntent(state, digest);
    // What another process wrote a moment ago must be shown by reads before it is answered with.
    await this.projector.progress.passed(position);
    return { paymentId, replayed: true };
  }
}

function assertSameIntent({ intentDigest: made }: KnownPayment, wanted: string): void {
  if (made !== wanted) throw refuse('IDEMPOTENCY_KEY_REUSED');
}

const draftOf = (intent: Intent, { versionId, name, domain, facts }: PinnedVersion, now: Date) => ({
  connection_id: intent.connection_id,
  initiator: intent.initiator,
  policy_id: null,
  reservation_id: null,
  recipient_id: intent.recipient_id,
  recipient_version_id: versionId,
  payee: { name, verified: true, domain } as const,
  facts,
  amount: intent.amount,
  metadata: intent.metadata ?? null,
  created_at: timestamp(now),
  expires_at: intent.expires_at ?? defaultExpiry(now),
});
