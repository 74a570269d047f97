import { refuse, refuseTooMany } from '../../kernel/errors';
import { MAX_CHECKS, newlyObserved, type Observation, secondsUntilCheck } from '../../kernel/settlement';
import { type KnownRequest } from './payment-request';
import { type PaymentRequestEvent } from '../../events/payment-request.events';

export function observeSettlement(observation: Observation, state: KnownRequest): readonly PaymentRequestEvent[] {
  const observed = newlyObserved(observation, state);
  if (observed === undefined) return [];
  const { requestId: request_id, connectionId: connection_id, transactionId: transaction_id } = state;
  const data = { request_id, connection_id, transaction_id, ...observed };
  return [{ type: 'PaymentRequestSettlementObserved', data }];
}

export function requestSettlementCheck(
  at: string,
  { requestId, connectionId, transactionHash, settlementChecks }: KnownRequest,
): readonly PaymentRequestEvent[] {
  if (transactionHash === null) throw refuse('transaction_not_reported');
  const resetSeconds = secondsUntilCheck(settlementChecks, at);
  if (resetSeconds > 0) throw refuseTooMany({ limit: MAX_CHECKS, remaining: 0, resetSeconds });
  const data = { request_id: requestId, connection_id: connectionId, transaction_hash: transactionHash, at };
  return [{ type: 'PaymentRequestSettlementCheckRequested', data }];
}
