import {
  isOverdue,
  ruleOn,
  ruleOnWithdrawal,
  type StatusReport,
  type WithdrawalOf,
} from '../../kernel/payment-progress';
import { type AgentPaymentEvent, type AgentPaymentStatus } from '../../events/agent-payment.events';
import { type WalletDeviceId } from '../../kernel/aggregates';
import { type KnownPayment } from './agent-payment';

export type Report = StatusReport & Readonly<{ deviceId: WalletDeviceId; status: AgentPaymentStatus }>;

const WAITING: AgentPaymentStatus = 'intent_created';

export function expire(at: string, state: KnownPayment): readonly AgentPaymentEvent[] {
  return isOverdue(at, state, WAITING) ? [{ type: 'AgentPaymentExpired', data: moved(at, state) }] : [];
}

/** An overdue payment expires instead: the caller sees this from the resulting state. */
export function withdraw(withdrawal: WithdrawalOf, state: KnownPayment): readonly AgentPaymentEvent[] {
  if (ruleOnWithdrawal(withdrawal, state, WAITING) === 'known') return expire(withdrawal.at, state);
  const { at, by: withdrawn_by, reason: withdrawn_reason } = withdrawal;
  return [{ type: 'AgentPaymentWithdrawn', data: { ...moved(at, state), withdrawn_by, withdrawn_reason } }];
}

/** A report on a payment that has ended is recorded and changes nothing: the caller sees this from the state. */
export function reportStatus(command: Report, state: KnownPayment): readonly AgentPaymentEvent[] {
  const ruling = ruleOn(command, state, WAITING);
  if (ruling === 'moves') return [move(command, state)];
  const expired = expire(command.at, state);
  const status = expired.length > 0 ? 'expired' : state.status;
  return [...expired, ...(ruling === 'late' ? [late(command, { ...state, status })] : [])];
}

function move(command: Report, state: KnownPayment): AgentPaymentEvent {
  const data = { ...moved(command.at, state), device_id: command.deviceId };
  const { transactionHash: hash } = command;
  switch (command.status) {
    case 'signed':
      return { type: 'AgentPaymentSigned', data: { ...data, ...(hash === null ? {} : { transaction_hash: hash }) } };
    case 'broadcasted':
      return {
        type: 'AgentPaymentBroadcasted',
        data: { ...data, transaction_hash: needed(hash) },
      };
    case 'confirmed': {
      const { ledger } = command;
      return { type: 'AgentPaymentConfirmed', data: { ...data, transaction_hash: needed(hash), ledger } };
    }
    case 'failed':
      return { type: 'AgentPaymentFailed', data: { ...data, reason: needed(command.reason) } };
    case 'rejected':
      return { type: 'AgentPaymentRejected', data: { ...data, reason: command.reason } };
    default:
      throw new Error(`${command.status} is not reported by a wallet`);
  }
}

const late = (command: Report, { paymentId, merchantId, connectionId, status }: KnownPayment): AgentPaymentEvent => ({
  type: 'AgentPaymentLateReport',
  data: {
    payment_id: paymentId,
    merchant_id: merchantId,
    connection_id: connectionId,
    status,
    device_id: command.deviceId,
    reported_status: command.status,
    transaction_hash: command.transactionHash,
    reason: command.reason,
    ledger: command.ledger,
    at: command.at,
  },
});

const moved = (at: string, state: KnownPayment) => ({
  payment_id: state.paymentId,
  merchant_id: state.merchantId,
  connection_id: state.connectionId,
  policy_id: state.policyId,
  reservation_id: state.reservationId,
  previous_status: state.status,
  at,
});

function needed(value: string | null): string {
  if (value === null) throw new Error('the report lacks what its status needs');
  return value;
}
