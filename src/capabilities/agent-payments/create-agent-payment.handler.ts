import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Inject } from '@nestjs/common';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type ApiKeyCaller } from '../../http/server/callers';
import { CLOCK, type Clock } from '../../kernel/clock';
import { Refusal, refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { Projector } from '../../platform/projecting/projector';
import { Duplicates, sharedKeyOf } from '../payments/duplicates';
import { TakeRequestKey } from '../payments/shared-key-commands';
import { agentPayment, type KnownPayment, madeIn } from './agent-payment';
import { type Draft, IntentDrafts } from './intent-drafts';
import { OnePaymentAtATime } from './one-payment-at-a-time';
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
    private readonly alone: OnePaymentAtATime,
    private readonly duplicates: Duplicates,
    private readonly projector: Projector,
    private readonly bus: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ submission, caller, context }: CreateAgentPayment): Promise<Created> {
    const { intent, idempotencyKey: key } = submission;
    const paymentId = paymentIdOf(caller, submission);
    // Check for a repeat first: it gets the same response even if recipient, connection or policy have changed since.
    const find = async () =>
      intent && key !== undefined ? this.replay(paymentId, intentDigest(intent), caller) : undefined;
    const found = await find();
    if (found !== undefined) return found;
    try {
      return await this.make(submission, caller, paymentId, context);
    } catch (refusal) {
      // Another call with the key may have made it since, before what refused this one.
      const made = refusal instanceof Refusal && refusal.code !== 'store_unavailable' ? await find() : undefined;
      if (made === undefined) throw refusal;
      return made;
    }
  }

  private async make(
    submission: Submission,
    caller: ApiKeyCaller,
    paymentId: PaymentId,
    context: CommandContext,
  ): Promise<Created> {
    const { intent, idempotencyKey: key } = submission;
    const draft = await this.drafts.of(submission, caller, paymentId);
    if (submission.scope === 'connection' && key !== undefined) await this.takeKey(draft, key, context);
    const make = async (): Promise<Placed> => {
      const placed = await (draft.initiator === 'human'
        ? this.create(draft, context)
        : this.alone.place(draft, intent?.policy_id, context));
      // Refused in here, so that a place which was taken for another intent is released.
      assertSameIntent(placed.payment, draft.intent_digest);
      return placed;
    };
    const { isNew } = await (submission.refuseDuplicate ? this.makeOnly(draft, make, context) : make());
    return { paymentId, replayed: !isNew };
  }

  /** From now on no payment request is made under the key unless this payment is forgone first (docs/adr/0019). */
  private takeKey(draft: Draft, key: string, context: CommandContext): Promise<void> {
    const { connection_id: connectionId, merchant_id: merchantId, payment_id: paymentId } = draft;
    return this.bus.execute(new TakeRequestKey({ connectionId, merchantId, key, paymentId }, context));
  }

  /** Takes the place for its recipient and amount first, and releases it if the payment is refused after all. */
  private async makeOnly(draft: Draft, make: () => Promise<Placed>, context: CommandContext): Promise<Placed> {
    const now = this.clock.now();
    const hold = await this.duplicates.refuseUnlessOnly(meantBy(draft), now, context);
    try {
      return await make();
    } catch (error) {
      await this.duplicates.releaseAfter(error, hold, now, context);
      throw error;
    }
  }

  private async create(draft: Draft, context: CommandContext): Promise<Placed> {
    const command = { kind: 'create', created: draft } as const;
    const { state, events } = await this.commands.run(agentPayment, draft.payment_id, command, context);
    return { payment: madeIn(state), isNew: events.length > 0 };
  }

  private async replay(paymentId: PaymentId, digest: string, caller: ApiKeyCaller): Promise<Created | undefined> {
    const { state, position } = await this.commands.fold(agentPayment, paymentId);
    // The key may belong to another merchant's connection that the caller merely named.
    if (state.kind !== 'payment' || state.merchantId !== caller.merchantId) return undefined;
    assertSameIntent(state, digest);
    // Another process may just have written it: wait until the read model shows it.
    await this.projector.progress.passed(position);
    return { paymentId, replayed: true };
  }
}

/** One idempotency key of a merchant, or of a connection, is one payment. */
export function paymentIdOf({ merchantId }: ApiKeyCaller, submission: Submission): PaymentId {
  const { idempotencyKey: key, scope, sound } = submission;
  if (key === undefined) return newId('ap');
  if (scope === 'merchant') return idFor.paymentOfKey(merchantId, key);
  return sound.connection_id === undefined ? newId('ap') : idFor.paymentOfConnectionKey(sound.connection_id, key);
}

/** What a duplicate of this payment would have in common with it. */
export const meantBy = (draft: Draft) => ({
  connectionId: draft.connection_id,
  deviceId: draft.device_id,
  agentId: draft.agent_id,
  merchantId: draft.merchant_id,
  recipientId: draft.recipient_id,
  amount: draft.amount,
  requestId: draft.payment_id,
  key: sharedKeyOf({ ...draft, id: draft.payment_id }),
});

export function assertSameIntent({ intentDigest: made }: KnownPayment, wanted: string): void {
  if (made !== wanted) throw refuse('IDEMPOTENCY_KEY_REUSED');
}
