import { type AgentPaymentCommand } from './agent-payment';
import {
  type AgentPaymentCreated,
  type AgentPaymentEvent,
  type AgentPaymentForgone,
  type AgentPaymentRefused,
} from '../../events/agent-payment.events';

export const paymentId = 'ap_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const policyId = 'pol_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const reservationId = 'rsv_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const recipientId = 'rcp_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const connectionId = 'con_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const deviceId = 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const merchantId = 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const createdAt = '2030-01-01T00:00:00.000Z';
export const expiresAt = '2030-01-01T00:15:00.000Z';
export const inTime = '2030-01-01T00:14:59.999Z';
export const hash = 'ab'.repeat(32);

export const payment: AgentPaymentCreated['data'] = {
  payment_id: paymentId,
  merchant_id: merchantId,
  api_key_id: 'key_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  connection_id: connectionId,
  device_id: deviceId,
  agent_id: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  initiator: 'agent',
  policy_id: policyId,
  reservation_id: reservationId,
  idempotency_key: 'order-1',
  intent_digest: 'sha256:1',
  recipient_id: recipientId,
  recipient_version_id: 'rcv_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  payee: { name: 'Example Shop', verified: true, domain: 'shop.example' },
  facts: {
    rail: 'stellar_xlm',
    network: 'stellar_testnet',
    asset: 'XLM',
    address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    memo: null,
    contract: null,
    issuer: null,
    decimals: 7,
    chain_id: null,
  },
  amount: '2.50',
  metadata: null,
  created_at: createdAt,
  expires_at: expiresAt,
};

export const refusedData: AgentPaymentRefused['data'] = {
  payment_id: paymentId,
  merchant_id: merchantId,
  api_key_id: payment.api_key_id,
  connection_id: connectionId,
  policy_id: policyId,
  recipient_id: recipientId,
  network: 'stellar_testnet',
  asset: 'XLM',
  amount: '2.50',
  intent_digest: 'sha256:1',
  triggered_thresholds: ['single_tx_limit'],
  refused_at: createdAt,
};

type Of<Kind extends AgentPaymentCommand['kind']> = Extract<AgentPaymentCommand, { kind: Kind }>;

export const create: Of<'create'> = { kind: 'create', created: payment };
export const refuseIt: Of<'refuse'> = { kind: 'refuse', refused: refusedData };
export const report = (changes: Partial<Of<'report'>>): Of<'report'> => ({
  kind: 'report',
  deviceId,
  status: 'signed',
  transactionHash: null,
  reason: null,
  ledger: null,
  at: inTime,
  ...changes,
});

export const created: AgentPaymentEvent = { type: 'AgentPaymentCreated', data: payment };
export const refused: AgentPaymentEvent = { type: 'AgentPaymentRefused', data: refusedData };

const forgoing: AgentPaymentForgone['data'] = {
  payment_id: payment.payment_id,
  merchant_id: payment.merchant_id,
  connection_id: payment.connection_id,
  idempotency_key: 'order-1',
  forgone_at: payment.created_at,
};
export const forgo: AgentPaymentCommand = { kind: 'forgo', forgone: forgoing };
export const forgone: AgentPaymentEvent = { type: 'AgentPaymentForgone', data: forgoing };

const about = {
  payment_id: paymentId,
  merchant_id: merchantId,
  connection_id: connectionId,
  policy_id: policyId,
  reservation_id: reservationId,
} as const;
const byWallet = { ...about, device_id: deviceId, at: inTime } as const;

export const signed: AgentPaymentEvent = {
  type: 'AgentPaymentSigned',
  data: { ...byWallet, previous_status: 'intent_created' },
};
export const broadcasted: AgentPaymentEvent = {
  type: 'AgentPaymentBroadcasted',
  data: { ...byWallet, previous_status: 'signed', transaction_hash: hash },
};
export const confirmed: AgentPaymentEvent = {
  type: 'AgentPaymentConfirmed',
  data: { ...byWallet, previous_status: 'broadcasted', transaction_hash: hash, ledger: 7 },
};
export const failed: AgentPaymentEvent = {
  type: 'AgentPaymentFailed',
  data: { ...byWallet, previous_status: 'signed', reason: 'no funds' },
};
export const rejected: AgentPaymentEvent = {
  type: 'AgentPaymentRejected',
  data: { ...byWallet, previous_status: 'intent_created', reason: null },
};
export const withdraw: Of<'withdraw'> = { kind: 'withdraw', by: 'merchant', reason: null, at: inTime };
export const withdrawn: AgentPaymentEvent = {
  type: 'AgentPaymentWithdrawn',
  data: {
    ...about,
    previous_status: 'intent_created',
    withdrawn_by: 'merchant',
    withdrawn_reason: null,
    at: inTime,
  },
};
export const expired: AgentPaymentEvent = {
  type: 'AgentPaymentExpired',
  data: { ...about, previous_status: 'intent_created', at: expiresAt },
};
export const lateReport: Extract<AgentPaymentEvent, { type: 'AgentPaymentLateReport' }> = {
  type: 'AgentPaymentLateReport',
  data: {
    payment_id: paymentId,
    merchant_id: merchantId,
    connection_id: connectionId,
    status: 'expired',
    device_id: deviceId,
    reported_status: 'broadcasted',
    transaction_hash: hash,
    reason: null,
    ledger: null,
    at: expiresAt,
  },
};

export const settled: Extract<AgentPaymentEvent, { type: 'AgentPaymentSettlementObserved' }> = {
  type: 'AgentPaymentSettlementObserved',
  data: {
    payment_id: paymentId,
    merchant_id: merchantId,
    connection_id: connectionId,
    status: 'confirmed',
    transaction_hash: hash,
    contested: false,
    settlement: {
      verdict: 'matches',
      differences: [],
      ledger: 7,
      observed_at: '2030-01-01T00:05:00.000Z',
      witness: 'https://horizon.example',
    },
    at: '2030-01-01T00:05:00.000Z',
  },
};
