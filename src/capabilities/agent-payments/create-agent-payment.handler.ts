import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type ApiKeyCaller } from '../../http/server/callers';
import { refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { Projector } from '../../platform/projecting/projector';
import { agentPayment, type KnownPayment } from './agent-payment';
import { type Draft, IntentDrafts } from './intent-drafts';
import { PaymentsAlone } from './payments-alone';
import { type Placed } from './reservations';
import { intentDigest, type Submission } from './submission';
import { idFor, type PaymentId } from '../../kernel/aggregates';

export type Created = Readonly<{ paymentId: PaymentId; replayed: boolean }>;

export class CreateAgentPayment extends Command<Created> {
  constructor(
    readonly submission: Submission,
    readonly caller: ApiKeyCaller,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateAgentPayment)
export class CreateAgentPaymentHandler implements ICommandHandler<CreateAgentPayment> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly drafts: IntentDrafts,
    private readonly alone: PaymentsAlone,
    private readonly projector: Projector,
  ) {}

  async execute({ submission, caller, context }: CreateAgentPayment): Promise<Created> {
    const { intent, idempotencyKey: key } = submission;
    const paymentId = paymentIdOf(caller, key);
    // A repeat is answered whatever has become of recipient, connection and policy since; so it is looked for first.
    const found = intent && key !== undefined ? await this.replay(paymentId, intentDigest(intent)) : undefined;
    if (found !== undefined) return found;

    const draft = await this.drafts.of(submission, caller, paymentId);
    const { payment, isNew } = await (draft.initiator === 'human'
      ? this.create(draft, context)
      : this.alone.place(draft, intent?.policy_id, context));
    assertSameIntent(payment, draft.intent_digest);
    return { paymentId, replayed: !isNew };
  }

  private async create(draft: Draft, context: CommandContext): Promise<Placed> {
    const command = { kind: 'create', created: draft } as const;
    const { state, events } = await this.commands.run(agentPayment, draft.payment_id, command, context);
    if (state.kind !== 'payment') throw new Error('a created payment is not there');
    return { payment: state, isNew: events.length > 0 };
  }

  private async replay(paymentId: PaymentId, digest: string): Promise<Created | undefined> {
    const { state, position } = await this.commands.fold(agentPayment, paymentId);
    if (state.kind !== 'payment') return undefined;
    assertSameIntent(state, digest);
    // What another process wrote a moment ago must be shown by reads before it is answered with.
    await this.projector.progress.passed(position);
    return { paymentId, replayed: true };
  }
}

/** One key of a merchant is one payment. */
export const paymentIdOf = ({ merchantId }: ApiKeyCaller, key: string | undefined): PaymentId =>
  key === undefined ? newId('ap') : idFor.paymentOfKey(merchantId, key);

export function assertSameIntent({ intentDigest: made }: KnownPayment, wanted: string): void {
  if (made !== wanted) throw refuse('IDEMPOTENCY_KEY_REUSED');
}
