import { notFollowed } from '../src/kernel/assert-never';
import {
  type AgentPaymentCreated,
  type AgentPaymentEvent,
  type AgentPaymentStatus,
} from '../src/events/agent-payment.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { withoutNulls } from '../src/kernel/without-nulls';
import { isFinal, type LateMoney, WITHDRAWN, type Withdrawer } from '../src/kernel/payment-progress';
import { type SettlementView } from '../src/kernel/settlement';
import { lateView, reportedIn, sameAs, withFinding, withLateReport, withTransactionHash } from './reported-transaction';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type PaymentId } from '../src/kernel/aggregates';

export type AgentPaymentDocument = Omit<
  AgentPaymentCreated['data'],
  'payment_id' | 'api_key_id' | 'reservation_id' | 'intent_digest' | 'metadata' | 'recipient_activations'
> &
  Readonly<{
    id: PaymentId;
    /** As JSON text, so that no store interprets its keys. */
    metadata: string | null;
    status: AgentPaymentStatus;
    /** The one reported last, also after the end. */
    transaction_hash: string | null;
    /** The one reported last in time, which reads show beside `late`. */
    timely_hash: string | null;
    ledger: number | null;
    reason: string | null;
    withdrawn_by: Withdrawer | null;
    /** In the words of who withdrew it. */
    withdrawn_reason: string | null;
    /** The last transaction that was reported after the end; null if none was. */
    late: LateMoney | null;
    /** What the service saw of the transaction on the network; null while it has not looked. */
    settlement: SettlementView | null;
    /** As in a payment request. */
    contested: boolean;
    updated_at: string;
    version: number;
    /** True while it can still expire; null removes it from the index. */
    open: true | null;
    /** As in a payment request. */
    same_as: string | null;
  }>;

export const agentPayments = collection<AgentPaymentDocument>('agent_payments', {
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
  by_merchant_and_status: { equals: ['merchant_id', 'status'], sort: 'created_at' },
  by_device: { equals: ['device_id'], sort: 'created_at' },
  by_device_and_status: { equals: ['device_id', 'status'], sort: 'created_at' },
  by_connection: { equals: ['connection_id'], sort: 'created_at' },
  by_connection_and_status: { equals: ['connection_id', 'status'], sort: 'created_at' },
  by_merchant_and_transaction_hash: { equals: ['merchant_id', 'transaction_hash'], sort: 'created_at' },
  by_device_and_transaction_hash: { equals: ['device_id', 'transaction_hash'], sort: 'created_at' },
  by_device_intent: { equals: ['device_id', 'same_as'], sort: 'created_at' },
  by_agent_key: { equals: ['device_id', 'agent_id', 'idempotency_key'], sort: 'created_at' },
  due: { equals: ['open'], sort: 'expires_at' },
});

export const agentPaymentsProjection: Projection = {
  name: 'agent-payments',
  version: 6,
  collections: [agentPayments],
  project: (recorded) => steps(recorded as RecordedEvent & AgentPaymentEvent),
};

function steps(event: RecordedEvent & AgentPaymentEvent): readonly Step[] {
  switch (event.type) {
    case 'AgentPaymentCreated':
      return [create(agentPayments, created(event.data, event.version))];
    case 'AgentPaymentSigned':
      return [move(event, { status: 'signed', open: null, ...reportedIn(event.data) })];
    case 'AgentPaymentBroadcasted':
      return [
        move(event, (known) => ({
          ...withTransactionHash(known, event.data.transaction_hash),
          ...reportedIn(event.data),
          status: 'broadcasted',
        })),
      ];
    case 'AgentPaymentConfirmed':
      return [move(event, { status: 'confirmed', ...reportedIn(event.data), ledger: event.data.ledger })];
    case 'AgentPaymentFailed':
      return [move(event, { status: 'failed', reason: event.data.reason, ...over })];
    case 'AgentPaymentRejected':
      return [move(event, { status: 'rejected', reason: event.data.reason, ...over })];
    case 'AgentPaymentExpired':
      return [move(event, { status: 'expired', ...over })];
    case 'AgentPaymentWithdrawn': {
      const { withdrawn_by, withdrawn_reason } = event.data;
      return [move(event, { status: 'failed', reason: WITHDRAWN, withdrawn_by, withdrawn_reason, ...over })];
    }
    case 'AgentPaymentSettlementObserved':
      return [move(event, (known) => withFinding(known, event.data))];
    case 'AgentPaymentSettlementCheckRequested':
      return [move(event, {})];
    case 'AgentPaymentLateReport':
      return [move(event, (known) => withLateReport(known, event.data))];
    case 'AgentPaymentRefused':
    case 'AgentPaymentForgone':
      return ignored;
    default:
      return notFollowed(event, ignored);
  }
}

const over = { open: null, same_as: null } as const;

type Moving = RecordedEvent &
  Exclude<AgentPaymentEvent, { type: 'AgentPaymentCreated' | 'AgentPaymentRefused' | 'AgentPaymentForgone' }>;

type Changes = Partial<AgentPaymentDocument>;

const move = ({ data, version }: Moving, changes: Changes | ((known: AgentPaymentDocument) => Changes)): Step =>
  change(agentPayments, data.payment_id, (known) => ({
    ...known,
    ...(typeof changes === 'function' ? changes(known) : changes),
    updated_at: data.at,
    version,
  }));

function created(data: AgentPaymentCreated['data'], version: number): AgentPaymentDocument {
  const { payment_id: id, api_key_id: _key, reservation_id: _reservation, intent_digest: _digest, ...more } = data;
  const { recipient_activations: _activations, ...rest } = more;
  return {
    id,
    ...rest,
    metadata: data.metadata && JSON.stringify(data.metadata),
    status: 'intent_created',
    transaction_hash: null,
    timely_hash: null,
    ledger: null,
    reason: null,
    withdrawn_by: null,
    withdrawn_reason: null,
    late: null,
    settlement: null,
    contested: false,
    updated_at: data.created_at,
    version,
    open: true,
    same_as: sameAs(data),
  };
}

/** What callers see. A field that does not apply is absent. */
export function agentPaymentView(document: AgentPaymentDocument) {
  const { facts, amount, metadata } = document;
  const { rail, network, asset, address: to, contract, issuer, decimals, chain_id, memo } = facts;
  return {
    id: document.id,
    status: document.status,
    initiator: document.initiator,
    network,
    asset,
    amount,
    connection_id: document.connection_id,
    ...withoutNulls({ policy_id: document.policy_id }),
    recipient_id: document.recipient_id,
    recipient_version_id: document.recipient_version_id,
    payee: document.payee,
    payment: { rail, network, asset, amount, to, ...withoutNulls({ contract, issuer, decimals, chain_id, memo }) },
    ...withoutNulls({ idempotency_key: document.idempotency_key }),
    ...(metadata === null ? {} : { metadata: JSON.parse(metadata) as Record<string, unknown> }),
    ...withoutNulls({ transaction_hash: document.timely_hash, ledger: document.ledger, reason: document.reason }),
    ...lateView(document),
    settlement: document.settlement,
    contested: document.contested,
    created_at: document.created_at,
    expires_at: document.expires_at,
    updated_at: document.updated_at,
    version: document.version,
    is_final: isFinal(document.status),
  };
}
