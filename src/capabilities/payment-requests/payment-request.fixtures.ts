import { type RecipientFacts } from '../../events/recipient.events';
import { type PaymentRequestCommand } from './payment-request';
import {
  type PaymentRequestCreated,
  type PaymentRequestEvent,
  type PaymentRequestKeyAssigned,
  type PaymentRequestKeyTaken,
  type PaymentRequestStatus,
} from '../../events/payment-request.events';

export const requestId = 'pr_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const connectionId = 'con_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const deviceId = 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const createdAt = '2030-01-01T00:00:00.000Z';
export const beforeExpiry = '2030-01-01T00:14:59.999Z';
export const expiresAt = '2030-01-01T00:15:00.000Z';
export const transactionHash = 'ab'.repeat(32);

export const facts: RecipientFacts = {
  rail: 'stellar_xlm',
  network: 'stellar_testnet',
  asset: 'XLM',
  address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  memo: null,
  contract: null,
  issuer: null,
  decimals: 7,
  chain_id: null,
};

export const creation: PaymentRequestCreated['data'] = {
  request_id: requestId,
  connection_id: connectionId,
  device_id: deviceId,
  agent_id: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  merchant_id: 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  transaction_id: 'order-7',
  idempotency_key: 'key-1',
  intent_digest: 'sha256:1',
  recipient_id: 'rcp_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  recipient_version_id: 'rcv_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  payee: { name: 'Example Shop', verified: true, domain: 'shop.example' },
  facts,
  amount: '12.50',
  source: { agent_id: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ', 'a.b': { $where: 1 } },
  display: null,
  metadata: { order: 7 },
  created_at: createdAt,
  expires_at: expiresAt,
};
export const create: PaymentRequestCommand = { kind: 'create', by: 'key', created: creation };
export const created: PaymentRequestEvent = { type: 'PaymentRequestCreated', data: creation };

const assignment: PaymentRequestKeyAssigned['data'] = {
  connection_id: connectionId,
  idempotency_key: 'key-1',
  intent_digest: 'sha256:1',
  request_id: 'order-7-payment',
  assigned_at: createdAt,
};
export const assign: PaymentRequestCommand = { kind: 'assign-key', assigned: assignment };
export const assigned: PaymentRequestEvent = { type: 'PaymentRequestKeyAssigned', data: assignment };

const taking: PaymentRequestKeyTaken['data'] = {
  connection_id: connectionId,
  merchant_id: creation.merchant_id,
  idempotency_key: 'key-1',
  payment_id: 'ap_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  taken_at: createdAt,
};
export const takeKey: PaymentRequestCommand = { kind: 'take-key', taken: taking };
export const keyTaken: PaymentRequestEvent = { type: 'PaymentRequestKeyTaken', data: taking };

type ReportCommand = Extract<PaymentRequestCommand, { kind: 'report' }>;

/** A report with everything its status requires, just before the request would expire. */
export function report(status: PaymentRequestStatus, changes: Partial<ReportCommand> = {}): ReportCommand {
  const nothing = { transactionHash: null, reason: null, ledger: null };
  const parts: Record<PaymentRequestStatus, Partial<ReportCommand>> = {
    pending: {},
    signed: {},
    broadcasted: { transactionHash },
    confirmed: { transactionHash, ledger: 17 },
    failed: { reason: 'no funds' },
    expired: {},
    rejected: { reason: 'not mine' },
  };
  return { kind: 'report', deviceId, status, ...nothing, ...parts[status], at: beforeExpiry, ...changes };
}

export const expireNow: PaymentRequestCommand = { kind: 'expire', at: expiresAt };

const moved = (previous_status: PaymentRequestStatus, at: string) =>
  ({
    request_id: requestId,
    connection_id: connectionId,
    transaction_id: 'order-7',
    previous_status,
    at,
  }) as const;
const byWallet = (previous_status: PaymentRequestStatus) =>
  ({
    ...moved(previous_status, beforeExpiry),
    device_id: deviceId,
  }) as const;

export const signed: PaymentRequestEvent = { type: 'PaymentRequestSigned', data: byWallet('pending') };
export const announced: PaymentRequestEvent = {
  type: 'PaymentRequestSigned',
  data: { ...byWallet('pending'), transaction_hash: transactionHash },
};
export const broadcasted: PaymentRequestEvent = {
  type: 'PaymentRequestBroadcasted',
  data: { ...byWallet('signed'), transaction_hash: transactionHash },
};
export const confirmed: PaymentRequestEvent = {
  type: 'PaymentRequestConfirmed',
  data: { ...byWallet('broadcasted'), transaction_hash: transactionHash, ledger: 17 },
};
export const failedFrom = (previous: PaymentRequestStatus): PaymentRequestEvent => ({
  type: 'PaymentRequestFailed',
  data: { ...byWallet(previous), reason: 'no funds' },
});
export const rejected: PaymentRequestEvent = {
  type: 'PaymentRequestRejected',
  data: { ...byWallet('pending'), reason: 'not mine' },
};
type WithdrawCommand = Extract<PaymentRequestCommand, { kind: 'withdraw' }>;
export const withdraw = (changes: Partial<WithdrawCommand> = {}): WithdrawCommand => ({
  kind: 'withdraw',
  by: 'agent',
  reason: 'sold out',
  at: beforeExpiry,
  ...changes,
});
export const withdrawn: PaymentRequestEvent = {
  type: 'PaymentRequestWithdrawn',
  data: { ...moved('pending', beforeExpiry), withdrawn_by: 'agent', withdrawn_reason: 'sold out' },
};
export const expired: PaymentRequestEvent = { type: 'PaymentRequestExpired', data: moved('pending', expiresAt) };
export const lateReport = (
  status: PaymentRequestStatus,
  at = expiresAt,
  end: PaymentRequestStatus = 'expired',
): PaymentRequestEvent => {
  const { transactionHash: transaction_hash, reason, ledger } = report(status);
  return {
    type: 'PaymentRequestLateReport',
    data: {
      request_id: requestId,
      connection_id: connectionId,
      transaction_id: 'order-7',
      status: end,
      device_id: deviceId,
      reported_status: status,
      transaction_hash,
      reason,
      ledger,
      at,
    },
  };
};

export const settled: PaymentRequestEvent = {
  type: 'PaymentRequestSettlementObserved',
  data: {
    request_id: requestId,
    connection_id: connectionId,
    transaction_id: creation.transaction_id,
    status: 'confirmed',
    transaction_hash: transactionHash,
    settlement: {
      verdict: 'differs',
      differences: [{ fact: 'amount', expected: '12.50', found: '12.4' }],
      ledger: 7,
      observed_at: '2030-01-01T00:05:00.000Z',
      witness: 'https://horizon.example',
    },
    at: '2030-01-01T00:05:00.000Z',
  },
};
