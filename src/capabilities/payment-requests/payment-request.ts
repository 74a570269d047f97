import { assertNever } from '../../kernel/assert-never';
import { type Decider, SHORT_LIVED_KEPT } from '../../kernel/decider';
import { type Refusal, refuse } from '../../kernel/errors';
import {
  lateReportKey,
  transactionIn,
  WITHDRAWN,
  type Withdrawal,
  type WithdrawalOf,
} from '../../kernel/payment-progress';
import {
  NOTHING_OBSERVED,
  type Observation,
  type Observed,
  recentChecks,
  withObservation,
  isSeenToPay,
  withTransaction,
} from '../../kernel/settlement';
import {
  type PaymentRequestCreated,
  type PaymentRequestEvent,
  type PaymentRequestKeyAssigned,
  type PaymentRequestKeyTaken,
  type PaymentRequestStatus,
} from '../../events/payment-request.events';
import { observeSettlement, requestSettlementCheck } from './settlement-report';
import { expire, type Report, reportStatus, withdraw } from './status-report';
import { type ConnectionId, type WalletDeviceId, type MerchantId, type PaymentId } from '../../kernel/aggregates';

export type PaymentRequestCommand = Readonly<
  /** `by`: whether the key or the request id identifies the stream. `over`: the agent payment that was forgone. */
  | { kind: 'create'; by: 'key' | 'id'; created: PaymentRequestCreated['data']; over?: PaymentId }
  | { kind: 'assign-key'; assigned: PaymentRequestKeyAssigned['data']; over?: PaymentId }
  | { kind: 'take-key'; taken: PaymentRequestKeyTaken['data'] }
  | (Report & { kind: 'report' })
  | { kind: 'expire'; at: string }
  | (WithdrawalOf & { kind: 'withdraw' })
  | (Observation & { kind: 'observe-settlement' })
  | { kind: 'request-settlement-check'; at: string }
>;

export type KnownRequest = Observed &
  Readonly<{
    kind: 'request';
    requestId: string;
    connectionId: ConnectionId;
    merchantId: MerchantId;
    deviceId: WalletDeviceId;
    transactionId: string | null;
    intentDigest: string;
    status: PaymentRequestStatus;
    expiresAt: string;
    reason: string | null;
    ledger: number | null;
    withdrawn: Withdrawal | null;
    /** What was reported after the end, each report once. */
    lateReports: readonly string[];
    /** When the merchant requested further lookups on the network, as far back as the rate limit reaches. */
    settlementChecks: readonly string[];
  }>;

/** A stream identified by an idempotency key, which points to a request whose id the caller chose. */
export type AssignedKey = Readonly<{
  kind: 'assigned';
  connectionId: ConnectionId;
  intentDigest: string;
  requestId: string;
}>;

/** A stream identified by an idempotency key that an agent payment has taken. */
export type TakenKey = Readonly<{ kind: 'taken'; connectionId: ConnectionId; paymentId: PaymentId }>;

export type PaymentRequestState = Readonly<{ kind: 'unknown' }> | AssignedKey | TakenKey | KnownRequest;

/** Someone is asked to pay. Payee and amount never change; the wallet or expiry moves the status. */
export const paymentRequest: Decider<PaymentRequestState, PaymentRequestCommand, PaymentRequestEvent> = {
  category: 'payment_request',
  initial: { kind: 'unknown' },
  kept: SHORT_LIVED_KEPT,

  decide(command, state) {
    switch (command.kind) {
      case 'create':
        if (isFree(state, command.over)) return [{ type: 'PaymentRequestCreated', data: command.created }];
        if (isUsed(state)) assertSameIntent(command.by, command.created, state);
        return [];
      case 'assign-key':
        if (isFree(state, command.over)) return [{ type: 'PaymentRequestKeyAssigned', data: command.assigned }];
        if (isUsed(state)) assertSameIntent('key', command.assigned, state);
        return [];
      case 'take-key':
        if (isUsed(state)) throw refuse('IDEMPOTENCY_KEY_REUSED', { details: { request_id: state.requestId } });
        return state.kind === 'taken' ? [] : [{ type: 'PaymentRequestKeyTaken', data: command.taken }];
      case 'report':
        if (state.kind !== 'request' || state.deviceId !== command.deviceId) throw refuse('resource_not_found');
        return reportStatus(command, state);
      case 'expire':
        return state.kind === 'request' ? expire(command.at, state) : [];
      case 'withdraw':
        if (state.kind !== 'request') throw refuse('resource_not_found');
        return withdraw(command, state);
      case 'observe-settlement':
        return state.kind === 'request' ? observeSettlement(command, state) : [];
      case 'request-settlement-check':
        if (state.kind !== 'request') throw refuse('resource_not_found');
        return requestSettlementCheck(command.at, state);
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'PaymentRequestKeyAssigned': {
        const { connection_id: connectionId, intent_digest: intentDigest, request_id: requestId } = event.data;
        return { kind: 'assigned', connectionId, intentDigest, requestId };
      }
      case 'PaymentRequestKeyTaken': {
        const { connection_id: connectionId, payment_id: paymentId } = event.data;
        return { kind: 'taken', connectionId, paymentId };
      }
      case 'PaymentRequestCreated':
        return created(event.data);
      case 'PaymentRequestSigned':
        return { ...known(state), status: 'signed', transactionHash: event.data.transaction_hash ?? null };
      case 'PaymentRequestBroadcasted':
        return { ...withTransaction(known(state), event.data.transaction_hash), status: 'broadcasted' };
      case 'PaymentRequestConfirmed': {
        const { transaction_hash: transactionHash, ledger } = event.data;
        return { ...known(state), status: 'confirmed', transactionHash, ledger };
      }
      case 'PaymentRequestFailed':
        return { ...known(state), status: 'failed', reason: event.data.reason };
      case 'PaymentRequestRejected':
        return { ...known(state), status: 'rejected', reason: event.data.reason };
      case 'PaymentRequestExpired':
        return { ...known(state), status: 'expired' };
      case 'PaymentRequestWithdrawn': {
        const { withdrawn_by: by, withdrawn_reason: reason } = event.data;
        return { ...known(state), status: 'failed', reason: WITHDRAWN, withdrawn: { by, reason } };
      }
      case 'PaymentRequestLateReport': {
        const { reported_status: status, transaction_hash: transactionHash, reason, ledger } = event.data;
        const report = lateReportKey({ status, transactionHash, reason, ledger });
        const before = isSeenToPay(known(state))
          ? known(state)
          : withTransaction(known(state), transactionIn(event.data));
        return { ...before, lateReports: [...before.lateReports, report] };
      }
      case 'PaymentRequestSettlementObserved':
        return withObservation(known(state), event.data);
      case 'PaymentRequestSettlementCheckRequested': {
        const { at } = event.data;
        return { ...known(state), settlementChecks: [...recentChecks(known(state).settlementChecks, at), at] };
      }
      default:
        return assertNever(event);
    }
  },
};

const created = (data: PaymentRequestCreated['data']): KnownRequest => ({
  kind: 'request',
  requestId: data.request_id,
  connectionId: data.connection_id,
  merchantId: data.merchant_id,
  deviceId: data.device_id,
  transactionId: data.transaction_id,
  intentDigest: data.intent_digest,
  status: 'pending',
  expiresAt: data.expires_at,
  transactionHash: null,
  reason: null,
  ledger: null,
  withdrawn: null,
  lateReports: [],
  ...NOTHING_OBSERVED,
  settlementChecks: [],
});

/** The stream is empty, or only taken by a payment that is known to have been forgone. */
const isFree = (state: PaymentRequestState, forgone: PaymentId | undefined): boolean =>
  state.kind === 'unknown' || (state.kind === 'taken' && state.paymentId === forgone);

const isUsed = (state: PaymentRequestState): state is AssignedKey | KnownRequest =>
  state.kind === 'assigned' || state.kind === 'request';

function known(state: PaymentRequestState): KnownRequest {
  if (state.kind !== 'request') throw new Error('a payment request moved before it was created');
  return state;
}

type Intent = Readonly<{ connection_id: ConnectionId; intent_digest: string }>;

/** A repeated key or id must have the same intent; the refusal does not reveal who else holds it. */
export function assertSameIntent(by: 'key' | 'id', intent: Intent, state: AssignedKey | KnownRequest): void {
  if (state.connectionId !== intent.connection_id || state.intentDigest !== intent.intent_digest) throw taken(by);
}

export const taken = (by: 'key' | 'id'): Refusal =>
  by === 'key' ? refuse('IDEMPOTENCY_KEY_REUSED') : refuse('request_id_unavailable', { field: 'request_id' });
