import { randomBytes } from 'node:crypto';
import { type PaymentStep, WEBHOOK_EVENT_TYPES } from '../../webhook-event-types.ts';

export const PRACTICE_TYPES: readonly string[] = WEBHOOK_EVENT_TYPES;

const PREVIOUS_STATUS: Readonly<Partial<Record<PaymentStep, string>>> = {
  signed: 'pending',
  broadcasted: 'signed',
  confirmed: 'broadcasted',
  failed: 'broadcasted',
  expired: 'pending',
  rejected: 'pending',
  settlement_observed: 'confirmed',
};

/** Looks like one of the service's ids, but belongs to nothing. */
const madeUp = (prefix: string): string => `${prefix}_PRACTICE${randomBytes(9).toString('hex').toUpperCase()}`;

/** A message of this type as the service would send it, made up on the testnet and marked as practice. */
export function practiceMessage(type: string, now: Date): Readonly<{ id: string; body: string }> {
  const [subject, step] = type.split('.') as [string, string];
  const id = madeUp('evt');
  const at = now.toISOString();
  const common = { event_id: id, type, occurred_at: at, practice: true };
  const data = { ...common, ...about(subject, step, at) };
  return { id, body: JSON.stringify({ type, timestamp: at, data }) };
}

function about(subject: string, step: string, at: string): object {
  if (subject === 'connection') return connection(step);
  if (subject === 'recipient') return recipient(step, at);
  return subject === 'merchant_domain' ? domain(step, at) : payment(subject, step as PaymentStep, at);
}

function recipient(step: string, at: string) {
  const [recipient_id, recipient_version_id] = [madeUp('rcp'), madeUp('rcv')];
  const isActive = step === 'version_activated';
  const active_version_id = isActive ? recipient_version_id : null;
  return {
    recipient_id,
    recipient_version_id,
    ...(isActive ? { superseded_version_id: null } : { withdraw_pending: false }),
    recipient: { recipient_id, name: payee.name, active_version_id, version: 4 },
    recipient_version: {
      recipient_version_id,
      number: 1,
      status: isActive ? 'active' : 'retired',
      ...facts,
      address: ALL_ZERO_ACCOUNT,
      created_at: at,
      activated_at: at,
    },
  };
}

function domain(step: string, at: string) {
  const [domain_id, name] = [madeUp('dom'), payee.domain];
  const times = { created_at: at, updated_at: at, verified_at: at, last_seen_at: at };
  const lost = step === 'superseded' ? { superseded_at: at } : {};
  return {
    domain_id,
    domain: name,
    merchant_domain: { domain_id, domain: name, method: 'dns', status: step, ...times, ...lost, version: 3 },
  };
}

const connection = (step: string) => ({
  connection_id: madeUp('con'),
  agent_id: madeUp('agt'),
  status: step === 'paused' ? 'paused' : step === 'revoked' ? 'revoked' : 'active',
  scopes: ['payment.requests.create', 'payment.requests.read'],
  ...(step === 'revoked' ? { reason: 'user' } : {}),
});

function payment(subject: string, step: PaymentStep, at: string) {
  const isRequest = subject === 'payment_request';
  const first = isRequest ? 'pending' : 'intent_created';
  const status = step === 'created' ? first : step === 'settlement_observed' ? 'confirmed' : step;
  const previous = PREVIOUS_STATUS[step] === 'pending' ? first : (PREVIOUS_STATUS[step] ?? null);
  const outcome = {
    ...(/broadcasted|confirmed/.test(status) ? { transaction_hash: randomBytes(32).toString('hex') } : {}),
    ...(status === 'confirmed' ? { ledger: 1 } : {}),
    ...(status === 'failed' || status === 'rejected' ? { reason: 'practice' } : {}),
    ...(step === 'settlement_observed' ? { settlement: settlement(at), contested: false } : {}),
  };
  const moved = { status, previous_status: previous };
  return isRequest ? request(moved, outcome, at) : agentPayment(moved, outcome, at);
}

type Moved = Readonly<{ status: string; previous_status: string | null }>;

const settlement = (at: string) => ({
  ...{ verdict: 'matches', differences: [], ledger: 1, ledger_hash: '0'.repeat(64), operation: 0, transfer: 0 },
  ...{ announced: true, binding: 'none', observed_at: at, witness: 'practice' },
});

/** The all-zero account of the testnet: nobody can hold its key. */
const ALL_ZERO_ACCOUNT = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF';
const payee = { name: 'Practice', verified: true, domain: 'practice.example' };
const facts = { rail: 'stellar_xlm', network: 'stellar_testnet', asset: 'XLM', decimals: 7 };
const later = (at: string): string => new Date(Date.parse(at) + 15 * 60_000).toISOString();
const isFinal = (status: string): boolean => /confirmed|failed|expired|rejected/.test(status);

function request(moved: Moved, outcome: object, at: string) {
  const request_id = madeUp('pr');
  const payment_request = {
    protocol: 'svc.payment_request.v1',
    request_id,
    connection_id: madeUp('con'),
    created_at: at,
    expires_at: later(at),
    status: moved.status,
    source: {},
    payee,
    payment: { ...facts, amount: '1', to: ALL_ZERO_ACCOUNT },
    policy: { requires_user_approval: true },
    metadata: { practice: true },
    recipient_id: madeUp('rcp'),
    recipient_version_id: madeUp('rcv'),
    settlement: null,
    contested: false,
    ...outcome,
    version: 1,
    is_final: isFinal(moved.status),
    updated_at: at,
  };
  return { request_id, ...moved, data: outcome, payment_request };
}

function agentPayment(moved: Moved, outcome: object, at: string) {
  const id = madeUp('ap');
  const agent_payment = {
    id,
    status: moved.status,
    initiator: 'agent',
    network: facts.network,
    asset: facts.asset,
    amount: '1',
    connection_id: madeUp('con'),
    policy_id: madeUp('pol'),
    recipient_id: madeUp('rcp'),
    recipient_version_id: madeUp('rcv'),
    payee,
    payment: { ...facts, amount: '1', to: ALL_ZERO_ACCOUNT },
    metadata: { practice: true },
    settlement: null,
    contested: false,
    ...outcome,
    created_at: at,
    expires_at: later(at),
    updated_at: at,
    version: 1,
    is_final: isFinal(moved.status),
  };
  return { id, ...moved, data: outcome, agent_payment };
}
