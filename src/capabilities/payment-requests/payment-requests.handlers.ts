import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner, type Moment } from '../../platform/event-store/run-command';
import { provenDomains } from '../../access/proven-domains';
import { type ConnectionCaller } from '../../http/server/callers';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { type Fold } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { withoutRepeats } from '../../http/input/stray-payees';
import { lateRefusal } from '../../kernel/payment-progress';
import { defaultExpiry } from '../../kernel/request-lifetime';
import {
  activeVersionOf,
  type PayableRecipient,
  payableRecipient,
  type PinnedVersion,
} from '../payments/payable-recipient';
import { refusalFor } from '../payments/refusal-for';
import { Duplicates } from '../payments/duplicates';
import { type TransactionContextEvent } from '../../events/transaction-context.events';
import { type Intent, intentDigest } from './intent';
import { judge } from './judge';
import { paymentRequest } from './payment-request';
import { type Creation, type RequestNames, type Placed, RequestPlaces } from './request-places';
import { type Report } from './status-report';
import { type Submission } from './submission';
import { idFor, isIdIn } from '../../kernel/aggregates';

export class CreatePaymentRequest extends Command<Placed> {
  constructor(
    readonly submission: Submission,
    readonly caller: ConnectionCaller,
    readonly context: CommandContext,
    /** When the caller was authorized: no other check needs fresher data. */
    readonly moment?: Moment,
  ) {
    super();
  }
}

@CommandHandler(CreatePaymentRequest)
export class CreatePaymentRequestHandler implements ICommandHandler<CreatePaymentRequest> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly places: RequestPlaces,
    private readonly duplicates: Duplicates,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ submission, caller, context, moment }: CreatePaymentRequest): Promise<Placed> {
    const { issues, intent, parts } = submission;
    const now = this.clock.now();
    const names = intent && namesOf(submission, intent, caller);
    const find = () => names && this.places.find(names, timestamp(now), context);
    // If only a key identifies the request, the append itself detects a repeat, so nothing needs to be read first.
    const isFoundByAppend = names?.requestId === undefined && !submission.refuseDuplicate;
    const [found, recipient, { state: proven }] = await Promise.all([
      isFoundByAppend ? undefined : find(),
      this.recipientNamed(parts.recipientId, moment),
      this.commands.fold(provenDomains, caller.merchantId, moment),
    ]);
    if (found !== undefined) return { place: found, replayed: true };

    const verdict = judge(parts, recipient, caller.merchantId, now);
    const problems = withoutRepeats([...issues, ...verdict.issues]);
    if (problems.length > 0 || !intent || !names || !verdict.pinned) {
      // A repeat gets the same response even if the recipient has changed since, also since it was looked for above.
      const earlier = await find();
      if (earlier !== undefined) return { place: earlier, replayed: true };
      throw refusalFor(problems, activeVersionOf(recipient));
    }
    const revision = await this.contextRevision(intent.transaction_id, caller, moment);
    const creation = { ...creationOf(intent, names, { ...verdict.pinned, proven }, caller, now), ...revision };
    if (!submission.refuseDuplicate) return this.places.place(names, creation, context);
    return this.placeOnly(names, creation, now, context);
  }

  /** Takes the place for its recipient and amount first, and releases it if the request is refused after all. */
  private async placeOnly(
    names: RequestNames,
    creation: Creation,
    now: Date,
    context: CommandContext,
  ): Promise<Placed> {
    const requestId = this.places.placeFor(names);
    const { connection_id: connectionId, merchant_id: merchantId, recipient_id: recipientId, amount } = creation;
    const { idempotencyKey: key, requestId: chosenId } = names;
    const rival = key === undefined ? {} : { rival: this.rivalOf(names, key, context) };
    const whose = { connectionId, merchantId, deviceId: creation.device_id, agentId: creation.agent_id };
    const asked = { ...whose, recipientId, amount, requestId, key, chosenId, ...rival };
    const hold = await this.duplicates.refuseUnlessOnly(asked, now, context);
    try {
      return await this.places.place(names, creation, context, requestId);
    } catch (error) {
      await this.duplicates.releaseAfter(error, hold, now, context);
      throw error;
    }
  }

  private rivalOf(names: RequestNames, key: string, context: CommandContext) {
    const id = idFor.paymentOfConnectionKey(names.connectionId, key);
    return { id, forgo: () => this.places.forgo(names, context) };
  }

  /** Pins the current revision, since the person decides on that one and not on later ones; 0 if there is none yet. */
  private async contextRevision(id: string | undefined, { connectionId }: ConnectionCaller, moment?: Moment) {
    if (id === undefined) return {};
    const { state } = await this.commands.fold(latestRevision, idFor.transactionContext(connectionId, id), moment);
    return { context_revision: state };
  }

  private async recipientNamed(id: string | undefined, moment?: Moment): Promise<PayableRecipient> {
    if (!isIdIn('recipient', id)) return null;
    return (await this.commands.fold(payableRecipient, id, moment)).state;
  }
}

const latestRevision: Fold<number, TransactionContextEvent> = {
  category: 'transaction_context',
  initial: 0,
  evolve: (_, { data }) => data.revision,
};

const namesOf = (
  { idempotencyKey, requestId }: Submission,
  intent: Intent,
  { connectionId, merchantId }: ConnectionCaller,
): RequestNames => ({
  connectionId,
  merchantId,
  idempotencyKey,
  requestId,
  digest: intentDigest(intent),
});

function creationOf(
  intent: Intent,
  names: RequestNames,
  { name, domain, domainId, facts, proven }: PinnedVersion & Readonly<{ proven: ReadonlyMap<string, unknown> }>,
  caller: ConnectionCaller,
  now: Date,
): Creation {
  return {
    connection_id: caller.connectionId,
    device_id: caller.deviceId,
    agent_id: caller.agentId,
    merchant_id: caller.merchantId,
    transaction_id: intent.transaction_id ?? null,
    idempotency_key: names.idempotencyKey ?? null,
    intent_digest: names.digest,
    recipient_id: intent.recipient_id,
    recipient_version_id: intent.recipient_version_id,
    payee: { name, verified: proven.has(domainId), domain },
    facts,
    amount: intent.payment.amount,
    source: {
      ...intent.source,
      agent_id: caller.agentId,
      agent_name: caller.agentName,
      merchant_id: caller.merchantId,
      merchant_name: caller.merchantName,
      merchant_domain: caller.merchantDomain,
    },
    display: intent.display ?? null,
    metadata: intent.metadata ?? null,
    created_at: timestamp(now),
    expires_at: intent.expires_at ?? defaultExpiry(now),
  };
}

export class ReportPaymentStatus extends Command<void> {
  constructor(
    /** The id of the request's stream. */
    readonly place: string,
    /** The id the caller knows it by: the stream id of a request with a caller-chosen id is not a second id for it. */
    readonly name: string,
    readonly report: Omit<Report, 'at'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReportPaymentStatus)
export class ReportPaymentStatusHandler implements ICommandHandler<ReportPaymentStatus> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ place, name, report, context }: ReportPaymentStatus): Promise<void> {
    const { state: known } = await this.commands.fold(paymentRequest, place);
    if (known.kind !== 'request' || known.requestId !== name) throw refuse('resource_not_found');
    const command = { kind: 'report', ...report, at: timestamp(this.clock.now()) } as const;
    const { state } = await this.commands.run(paymentRequest, place, command, context);
    // The report is recorded; the refusal says that it came too late.
    const refusal = state.kind === 'request' ? lateRefusal(report, state) : undefined;
    if (refusal !== undefined) throw refusal;
  }
}
