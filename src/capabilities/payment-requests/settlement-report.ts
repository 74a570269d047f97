import { refuse } from '../../kernel/errors';
import { isNews, secondsUntilCheck, type Settlement } from '../../kernel/settlement';
import { type KnownRequest } from './payment-request';
import { type PaymentRequestEvent } from '../../events/payment-request.events';

type Observation = Readonly<{ transactionHash: string; settlement: Settlement }>;

/** A look at another transaction than the one reported says nothing about this request. */
export function observeSettlement(
  { transactionHash, settlement }: Observation,
  { requestId, connectionId, transactionId, status, ...state }: KnownRequest,
): readonly PaymentRequestEvent[] {
  if (state.transactionHash !== transactionHash || !isNews(state.settlement, settlement)) return [];
  const data = {
    request_id: requestId,
    connection_id: connectionId,
    transaction_id: transactionId,
    status,
    transaction_hash: transactionHash,
    settlement,
    at: settlement.observed_at,
  };
  return [{ type: 'PaymentRequestSettlementObserved', data }];
}

export function requestSettlementCheck(
  at: string,
  { requestId, connectionId, transactionHash, settlementChecks }: KnownRequest,
): readonly PaymentRequestEvent[] {
  if (transactionHash === null) throw refuse('transaction_not_reported');
  const seconds = secondsUntilCheck(settlementChecks, at);
  if (seconds > 0) throw refuse('rate_limited', { headers: { 'Retry-After': String(seconds) } });
  const data = { request_id: requestId, connection_id: connectionId, transaction_hash: transactionHash, at };
  return [{ type: 'PaymentRequestSettlementCheckRequested', data }];
}
