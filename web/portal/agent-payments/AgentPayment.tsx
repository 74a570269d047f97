import { useQuery } from '@tanstack/react-query';
import { type AgentPayment as Paid } from '../../../sdk/src/types/agent-payment.ts';
import { Address } from '../../ui/Address.tsx';
import { Amount } from '../../ui/Amount.tsx';
import { Card, Facts, PageHead, Section } from '../../ui/Layout.tsx';
import { reasonWords } from '../../ui/reason-words.ts';
import { hrefOf } from '../../ui/router.tsx';
import { Seal } from '../../ui/Settlement.tsx';
import { Countdown, Time } from '../../ui/Time.tsx';
import { lastMoment, maybe } from '../payments/fact-rows.tsx';
import { PaymentSettlement } from '../payments/PaymentSettlement.tsx';
import { PaymentWebhooks } from '../payments/PaymentWebhooks.tsx';
import { agentPaymentPlace } from '../payments/use-same-transaction.ts';
import { Loaded } from '../shell/Loaded.tsx';
import { isNotFound, NotFound } from '../shell/NotFound.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useAgentNames } from '../shell/use-agent-names.ts';
import { useNetworkName } from '../shell/use-networks.ts';
import { useMerchant } from '../use-merchant.ts';
import { INITIATORS } from './initiators.ts';

export default function AgentPayment({ id }: Readonly<{ id: string }>) {
  const { client } = useMerchant();
  const query = useQuery({
    queryKey: ['agent-payments', 'one', id],
    queryFn: ({ signal }) => client.policies.readPayment(id, { signal }),
  });
  if (isNotFound(query.error)) return <NotFound back="/agent-payments" name="Agent payments" />;
  return <Loaded query={query}>{(payment) => <Detail payment={payment} />}</Loaded>;
}

function Detail({ payment }: Readonly<{ payment: Paid }>) {
  const networkName = useNetworkName();
  const { id, status, amount, asset, network, payee, settlement, contested } = payment;
  return (
    <>
      <PageHead
        title={id}
        action={
          <>
            <StatusWord status={status} />
            <Seal settlement={settlement} isContested={contested} />
          </>
        }
      >
        <Amount amount={amount} asset={asset} network={networkName(network)} /> to {payee.name}
        {status === 'intent_created' && (
          <>
            {' '}
            · waits for <Countdown until={payment.expires_at} over="a moment" /> more
          </>
        )}
      </PageHead>
      <Section title="Facts">
        <Card>
          <FactList payment={payment} />
        </Card>
      </Section>
      <PaymentSettlement payment={payment} place={agentPaymentPlace(id)} />
      <Section title="Webhooks">
        <PaymentWebhooks id={id} />
      </Section>
    </>
  );
}

const code = (text: string) => <code>{text}</code>;
const address = (text: string) => <Address address={text} />;

function FactList({ payment }: Readonly<{ payment: Paid }>) {
  const networkName = useNetworkName();
  const agents = useAgentNames();
  const { payment: facts, payee } = payment;
  return (
    <Facts
      facts={[
        ['Status', <StatusWord key="status" status={payment.status} />],
        ...maybe('Reason', payment.reason, reasonWords),
        ['Initiator', INITIATORS[payment.initiator]],
        ['Amount', <Amount key="amount" amount={payment.amount} asset={payment.asset} />],
        ['Network', networkName(payment.network)],
        [
          'Payee',
          <a key="payee" href={hrefOf(`/payees/${payment.recipient_id}`)}>{`${payee.name} (${payee.domain})`}</a>,
        ],
        ['Address', address(facts.to)],
        ...maybe('Memo', facts.memo),
        ...maybe('Contract', facts.contract, address),
        ...maybe('Issuer', facts.issuer, address),
        ...maybe('Agent', agents.get(payment.connection_id)),
        ['Connection', code(payment.connection_id)],
        ...maybe('Policy', payment.policy_id, code),
        ['Created', <Time key="created" at={payment.created_at} />],
        ...lastMoment(payment),
        ...maybe('Transaction hash', payment.transaction_hash, code),
        ...maybe('Ledger', payment.ledger),
        ...maybe('Idempotency key', payment.idempotency_key, code),
        ...maybe('Metadata', payment.metadata, code),
      ]}
    />
  );
}
