import { type PaymentRequest } from '../../../sdk/src/types/payment.ts';
import { Address } from '../../ui/Address.tsx';
import { Amount } from '../../ui/Amount.tsx';
import { Facts } from '../../ui/Layout.tsx';
import { hrefOf } from '../../ui/router.tsx';
import { Time } from '../../ui/Time.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useNetworkName } from '../shell/use-networks.ts';
import { reasonWords } from '../../ui/reason-words.ts';
import { lastMoment, maybe } from './fact-rows.tsx';

/** Everything known about the payment; unknown facts get no row. */
export function PaymentFactList({ payment: request }: Readonly<{ payment: PaymentRequest }>) {
  const networkName = useNetworkName();
  const { payment, payee, source } = request;
  const code = (text: string) => <code>{text}</code>;
  const address = (text: string) => <Address address={text} />;
  return (
    <Facts
      facts={[
        ['Status', <StatusWord key="status" status={request.status} />],
        ...maybe('Reason', request.reason, reasonWords),
        ['Amount', <Amount key="amount" amount={payment.amount} asset={payment.asset} />],
        ['Network', networkName(payment.network)],
        [
          'Payee',
          <a key="payee" href={hrefOf(`/payees/${request.recipient_id}`)}>{`${payee.name} (${payee.domain})`}</a>,
        ],
        ['Address', address(payment.to)],
        ...maybe('Memo', payment.memo),
        ...maybe('Contract', payment.contract, address),
        ...maybe('Issuer', payment.issuer, address),
        [
          'Agent',
          <a key="agent" href={hrefOf(`/agents/${String(source['agent_id'])}`)}>
            {String(source['agent_name'])}
          </a>,
        ],
        ['Connection', code(request.connection_id)],
        ['Created', <Time key="created" at={request.created_at} />],
        ...lastMoment(request),
        ...maybe('Transaction hash', request.transaction_hash, code),
        ...maybe('Ledger', request.ledger),
        ...maybe('Transaction id', request.transaction_id, code),
        ...maybe('Idempotency key', request.idempotency_key, code),
      ]}
    />
  );
}
