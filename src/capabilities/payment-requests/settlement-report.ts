import { hashToCheck, newlyObserved, type Observation } from '../../kernel/settlement';
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
  const transaction_hash = hashToCheck(at, { transactionHash, settlementChecks });
  const data = { request_id: requestId, connection_id: connectionId, transaction_hash, at };
  return [{ type: 'PaymentRequestSettlementCheckRequested', data }];
}
