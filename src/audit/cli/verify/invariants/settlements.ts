import { is } from '../../../../events';
import { type Breach, type Invariant } from '../invariant';

export const truthfulSettlement: Invariant = {
  name: 'truthful-settlement',
  says: 'every finding is about the transaction that was reported, and its verdict agrees with its differences',
  categories: ['payment_request', 'agent_payment'],
  *breaches(events): Generator<Breach> {
    let reported: string | undefined;
    for (const event of events) {
      if (is(event, 'PaymentRequestBroadcasted') || is(event, 'AgentPaymentBroadcasted')) {
        reported = event.data.transaction_hash;
      }
      if (!is(event, 'PaymentRequestSettlementObserved') && !is(event, 'AgentPaymentSettlementObserved')) continue;
      const { transaction_hash, settlement } = event.data;
      if (transaction_hash !== reported) yield { event, what: `no wallet had reported ${transaction_hash}` };
      const { verdict, differences, ledger } = settlement;
      if ((verdict === 'differs') !== differences.length > 0) {
        yield { event, what: `${verdict} contradicts ${differences.length} difference(s)` };
      }
      if ((verdict === 'matches' || verdict === 'differs') !== (ledger !== null)) {
        yield { event, what: `${verdict} contradicts ledger ${ledger}` };
      }
    }
  },
};
