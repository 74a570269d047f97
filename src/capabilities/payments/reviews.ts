import { Inject, Injectable } from '@nestjs/common';
import { type AgentPaymentDocument, agentPayments } from '../../../projections/agent-payments.projection';
import { agents } from '../../../projections/agents.projection';
import { automationPolicies } from '../../../projections/automation-policies.projection';
import { connections } from '../../../projections/connections.projection';
import { merchantDomains } from '../../../projections/merchants.projection';
import {
  lookOf,
  payeeHistories,
  type PayeeHistoryDocument,
  payeeHistoryId,
} from '../../../projections/payee-history.projection';
import { type PaymentRequestDocument } from '../../../projections/payment-request-document';
import { sameAs } from '../../../projections/reported-transaction';
import { paymentRequests } from '../../../projections/payment-requests.projection';
import { type RecipientDocument, recipients } from '../../../projections/recipients.projection';
import { transactionContexts } from '../../../projections/transaction-contexts.projection';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { isFinal } from '../../kernel/payment-progress';
import { isWithin } from '../../kernel/validity-window';
import { paymentUri } from '../../networks';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { sharedKeyOf } from './duplicates';
import { reviewOf } from './review';
import { type ConnectionId, idFor } from '../../kernel/aggregates';

const DAY_SECONDS = 24 * 3_600;
const HOUR_SECONDS = 3_600;
/** More payments than this from one connection within an hour are unusual. */
const UNUSUAL_PER_HOUR = 10;
const MAX_DUPLICATES = 10;
/** The last ones paid: some of them may have this very address. */
const MAX_NAMESAKES = 20;

type Payment = PaymentRequestDocument | AgentPaymentDocument;

/** What a wallet is shown alongside a payment. Every read is by id or index, and bounded. */
@Injectable()
export class Reviews {
  constructor(
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  ofRequest(request: PaymentRequestDocument) {
    return this.of(request, false);
  }

  async ofAgentPayment(payment: AgentPaymentDocument) {
    const { policy_id: id } = payment;
    const policy = id === null ? undefined : await this.readModel.get(automationPolicies, id);
    const now = timestamp(this.clock.now());
    const inForce = policy?.status === 'active' && isWithin(policy, now);
    const hasEnded = policy !== undefined && policy.status !== 'active' && policy.status !== 'awaiting_opt_in';
    return this.of(payment, !inForce, hasEnded ? policy.updated_at : undefined);
  }

  private async of(payment: Payment, outsidePolicy: boolean, policyEndedAt?: string) {
    const now = this.clock.now();
    const [history, recipient, agent, connection, { same, paid }, manySince, named] = await Promise.all([
      this.readModel.get(payeeHistories, payeeHistoryId(payment.device_id, payment.recipient_id)),
      this.readModel.get(recipients, payment.recipient_id),
      this.readModel.get(agents, payment.agent_id),
      this.readModel.get(connections, payment.connection_id),
      this.alike(payment, timestamp(addSeconds(now, -DAY_SECONDS))),
      this.manySince(payment.connection_id, timestamp(addSeconds(now, -HOUR_SECONDS))),
      this.ofName(payment),
    ]);
    const namesakes = named.filter(({ recipient_id }) => recipient_id !== payment.recipient_id);
    const domain = await this.domainOf(recipient, payment);
    const found = { history, recipient, agent, connection, same, paid, namesakes, domain };
    const about = { manySince, outsidePolicy, policyEndedAt, isOpen: !isFinal(payment.status) };
    const known = { now: timestamp(now), ...found, ...about };
    return { review: reviewOf(payment, known), payment_uri: paymentUri(payment.facts, payment.amount) };
  }

  /** The device's other payments for the same recipient and amount within a day, and those for the same order. */
  private async alike(payment: Payment, from: string) {
    const key = 'request_id' in payment ? payment.idempotency_key : sharedKeyOf(payment);
    const [intent, order] = [
      [payment.device_id, sameAs(payment)],
      [payment.device_id, payment.agent_id, key ?? ''],
    ];
    const page = { limit: MAX_DUPLICATES + 1, order: 'desc' } as const;
    const [requests, payments, ofKey, paymentsOfKey] = await Promise.all([
      this.readModel.find(paymentRequests, 'by_device_intent', intent, page),
      this.readModel.find(agentPayments, 'by_device_intent', intent, page),
      key ? this.readModel.find(paymentRequests, 'by_agent_key', order, page) : NONE,
      key ? this.readModel.find(agentPayments, 'by_agent_key', order, page) : NONE,
    ]);
    const isOther = ({ id }: Payment): boolean => id !== payment.id;
    const equal = [...requests.documents, ...payments.documents].filter(isOther).sort(newestFirst);
    const sameOrder = [...ofKey.documents, ...paymentsOfKey.documents.filter(sharedKeyOf)].filter(isOther);
    // It may have been asked for long before it was paid.
    const recent = equal.filter(({ updated_at }) => updated_at >= from);
    const [paid] = [...sameOrder, ...recent].filter(isPaid).sort(newestFirst);
    return {
      // By the ids their parties know, which an agent may have chosen.
      same: equal
        .filter((one) => one.connection_id === payment.connection_id && one.created_at >= from)
        .slice(0, MAX_DUPLICATES)
        .map((one) => ({ id: nameOf(one), created_at: one.created_at })),
      paid: paid && { id: nameOf(paid), created_at: paid.created_at, title: await this.titleOf(paid) },
    };
  }

  private async ofName({ device_id, payee }: Payment): Promise<readonly PayeeHistoryDocument[]> {
    const page = { limit: MAX_NAMESAKES, order: 'desc' } as const;
    return (await this.readModel.find(payeeHistories, 'by_name', [device_id, lookOf(payee.name)], page)).documents;
  }

  private async domainOf(recipient: RecipientDocument | undefined, { recipient_version_id: id }: Payment) {
    const version = recipient?.versions.find((one) => one.recipient_version_id === id);
    const domainId = version?.evidence?.proof.domain_id;
    return domainId === undefined ? undefined : this.readModel.get(merchantDomains, domainId);
  }

  /** What the agent called the order that was paid; null if it said nothing. */
  private async titleOf(payment: Payment): Promise<string | null> {
    if (!('request_id' in payment) || payment.transaction_id === null || payment.context_revision === 0) return null;
    const id = idFor.transactionContext(payment.connection_id, payment.transaction_id);
    return (await this.readModel.get(transactionContexts, id))?.title ?? null;
  }

  /** The time of the oldest of the last UNUSUAL_PER_HOUR + 1 payments, if it falls within the last hour. */
  private async manySince(connectionId: ConnectionId, from: string): Promise<string | null> {
    const page = { limit: UNUSUAL_PER_HOUR + 1, order: 'desc' } as const;
    const [requests, payments] = await Promise.all([
      this.readModel.find(paymentRequests, 'by_connection', [connectionId], page),
      this.readModel.find(agentPayments, 'by_connection', [connectionId], page),
    ]);
    const times = [...requests.documents, ...payments.documents].map(({ created_at }) => created_at).sort();
    const oldest = times.at(-(UNUSUAL_PER_HOUR + 1));
    return oldest !== undefined && oldest >= from ? oldest : null;
  }
}

const NONE = { documents: [] as const };
const nameOf = (one: Payment): string => ('request_id' in one ? one.request_id : one.id);
const newestFirst = (one: Payment, other: Payment): number =>
  Number(one.created_at < other.created_at) - Number(one.created_at > other.created_at);
/** Money has left the account, as far as its wallet has said. */
const isPaid = ({ status, late }: Payment): boolean =>
  status === 'broadcasted' || status === 'confirmed' || late !== null;
