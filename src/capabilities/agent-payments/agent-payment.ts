import { assertNever } from '../../kernel/assert-never';
import { type Decider, SHORT_LIVED_KEPT } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import {
  lateMoneyIn,
  lateReportKey,
  type Progress,
  transactionIn,
  WITHDRAWN,
  type WithdrawalOf,
} from '../../kernel/payment-progress';
import {
  hashToCheck,
  newlyObserved,
  NOTHING_OBSERVED,
  type Observation,
  type Observed,
  recentChecks,
  withObservation,
  isSeenToPay,
  withTransaction,
} from '../../kernel/settlement';
import {
  type AgentPaymentCreated,
  type AgentPaymentEvent,
  type AgentPaymentForgone,
  type AgentPaymentRefused,
  type AgentPaymentStatus,
} from '../../events/agent-payment.events';
import { expire, type Report, reportStatus, withdraw } from './status-report';
import {
  type ConnectionId,
  type WalletDeviceId,
  type MerchantId,
  type PaymentId,
  type PolicyId,
  type ReservationId,
} from '../../kernel/aggregates';

export type AgentPaymentCommand = Readonly<
  | { kind: 'create'; created: AgentPaymentCreated['data'] }
  | { kind: 'refuse'; refused: AgentPaymentRefused['data'] }
  | { kind: 'forgo'; forgone: AgentPaymentForgone['data'] }
  | (Report & { kind: 'report' })
  | { kind: 'expire'; at: string }
  | (WithdrawalOf & { kind: 'withdraw' })
  | (Observation & { kind: 'observe-settlement' })
  | { kind: 'request-settlement-check'; at: string }
>;

export type KnownPayment = Progress &
  Observed &
  Readonly<{
    kind: 'payment';
    paymentId: PaymentId;
    merchantId: MerchantId;
    connectionId: ConnectionId;
    deviceId: WalletDeviceId;
    policyId: PolicyId | null;
    reservationId: ReservationId | null;
    intentDigest: string;
    amount: string;
    /** A transaction was reported after it had ended. */
    hasMovedLate: boolean;
    status: AgentPaymentStatus;
    /** When the merchant requested further lookups on the network, as far back as the rate limit reaches. */
    settlementChecks: readonly string[];
  }>;

export type AgentPaymentState =
  | Readonly<{ kind: 'unknown' } | { kind: 'refused'; decision: string } | { kind: 'forgone' }>
  | KnownPayment;

/** A payment intent of the older API. Payee and amount never change; the wallet or expiry moves the status. */
export const agentPayment: Decider<AgentPaymentState, AgentPaymentCommand, AgentPaymentEvent> = {
  category: 'agent_payment',
  initial: { kind: 'unknown' },
  kept: SHORT_LIVED_KEPT,

  decide(command, state) {
    switch (command.kind) {
      case 'create':
        // The caller checks whether the existing payment has the same intent.
        return isDecided(state) ? [] : [{ type: 'AgentPaymentCreated', data: command.created }];
      case 'forgo':
        return isDecided(state) ? [] : [{ type: 'AgentPaymentForgone', data: command.forgone }];
      case 'refuse': {
        const again = state.kind === 'refused' && state.decision === decisionKey(command.refused);
        return isDecided(state) || again ? [] : [{ type: 'AgentPaymentRefused', data: command.refused }];
      }
      case 'report':
        if (state.kind !== 'payment' || state.deviceId !== command.deviceId) throw refuse('resource_not_found');
        return reportStatus(command, state);
      case 'expire':
        return state.kind === 'payment' ? expire(command.at, state) : [];
      case 'withdraw':
        if (state.kind !== 'payment') throw refuse('resource_not_found');
        return withdraw(command, state);
      case 'observe-settlement':
        return state.kind === 'payment' ? observe(command, state) : [];
      case 'request-settlement-check':
        if (state.kind !== 'payment') throw refuse('resource_not_found');
        return requestCheck(command.at, state);
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'AgentPaymentCreated':
        return created(event.data);
      case 'AgentPaymentRefused':
        return { kind: 'refused', decision: decisionKey(event.data) };
      case 'AgentPaymentForgone':
        return { kind: 'forgone' };
      case 'AgentPaymentSigned':
        return { ...known(state), status: 'signed', transactionHash: event.data.transaction_hash ?? null };
      case 'AgentPaymentBroadcasted':
        return { ...withTransaction(known(state), event.data.transaction_hash), status: 'broadcasted' };
      case 'AgentPaymentConfirmed': {
        const { transaction_hash: transactionHash, ledger } = event.data;
        return { ...known(state), status: 'confirmed', transactionHash, ledger };
      }
      case 'AgentPaymentFailed':
        return { ...known(state), status: 'failed', reason: event.data.reason };
      case 'AgentPaymentRejected':
        return { ...known(state), status: 'rejected', reason: event.data.reason };
      case 'AgentPaymentExpired':
        return { ...known(state), status: 'expired' };
      case 'AgentPaymentWithdrawn': {
        const { withdrawn_by: by, withdrawn_reason: reason } = event.data;
        return { ...known(state), status: 'failed', reason: WITHDRAWN, withdrawn: { by, reason } };
      }
      case 'AgentPaymentLateReport': {
        const { reported_status: status, transaction_hash: transactionHash, reason, ledger } = event.data;
        const late = lateReportKey({ status, transactionHash, reason, ledger });
        const before = isSeenToPay(known(state))
          ? known(state)
          : withTransaction(known(state), transactionIn(event.data));
        const hasMovedLate = before.hasMovedLate || lateMoneyIn(event.data) !== null;
        return { ...before, hasMovedLate, lateReports: [...before.lateReports, late] };
      }
      case 'AgentPaymentSettlementObserved':
        return withObservation(known(state), event.data);
      case 'AgentPaymentSettlementCheckRequested': {
        const { at } = event.data;
        return { ...known(state), settlementChecks: [...recentChecks(known(state).settlementChecks, at), at] };
      }
      default:
        return assertNever(event);
    }
  },
};

const created = (data: AgentPaymentCreated['data']): KnownPayment => ({
  kind: 'payment',
  paymentId: data.payment_id,
  merchantId: data.merchant_id,
  connectionId: data.connection_id,
  deviceId: data.device_id,
  policyId: data.policy_id,
  reservationId: data.reservation_id,
  intentDigest: data.intent_digest,
  amount: data.amount,
  hasMovedLate: false,
  status: 'intent_created',
  expiresAt: data.expires_at,
  transactionHash: null,
  reason: null,
  ledger: null,
  withdrawn: null,
  lateReports: [],
  ...NOTHING_OBSERVED,
  settlementChecks: [],
});

/** Created or forgone: each excludes the other. */
const isDecided = ({ kind }: AgentPaymentState): boolean => kind === 'payment' || kind === 'forgone';

function known(state: AgentPaymentState): KnownPayment {
  if (state.kind !== 'payment') throw new Error('an agent payment moved before it was created');
  return state;
}

/** The same intent refused for the same reasons is recorded once, however often it is tried. */
const decisionKey = ({ intent_digest, policy_id, triggered_thresholds }: AgentPaymentRefused['data']): string =>
  JSON.stringify([intent_digest, policy_id, triggered_thresholds]);

/** An observation of a transaction other than the reported one says nothing about this payment. */
function observe(observation: Observation, state: KnownPayment): readonly AgentPaymentEvent[] {
  const observed = newlyObserved(observation, state);
  if (observed === undefined) return [];
  const { paymentId: payment_id, merchantId: merchant_id, connectionId: connection_id } = state;
  return [{ type: 'AgentPaymentSettlementObserved', data: { payment_id, merchant_id, connection_id, ...observed } }];
}

function requestCheck(at: string, state: KnownPayment): readonly AgentPaymentEvent[] {
  const transaction_hash = hashToCheck(at, state);
  const { paymentId: payment_id, merchantId: merchant_id, connectionId: connection_id } = state;
  const data = { payment_id, merchant_id, connection_id, transaction_hash, at };
  return [{ type: 'AgentPaymentSettlementCheckRequested', data }];
}

/** The payment that a create resulted in; refuses if a payment request has taken the key in the meantime. */
export function madeIn(state: AgentPaymentState): KnownPayment {
  if (state.kind === 'forgone') throw refuse('IDEMPOTENCY_KEY_REUSED');
  if (state.kind !== 'payment') throw new Error('a created payment is not there');
  return state;
}
