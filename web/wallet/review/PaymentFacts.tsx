import { Address } from '../../ui/Address.tsx';
import { Amount } from '../../ui/Amount.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { Card, Facts, Muted, Stack } from '../../ui/Layout.tsx';
import { Status } from '../../ui/Status.tsx';
import { networkName } from '../networks.ts';
import { isByPolicy, type Payment } from './payments.ts';
import { useAsker } from './use-asker.ts';

/** What is paid, to whom, and how this is known: the payee's details come from its proof, not from the agent. */
export function PaymentFacts({ payment }: Readonly<{ payment: Payment }>) {
  const { facts, payee } = payment;
  const { agentName, merchantName } = useAsker()(payment);
  return (
    <Card>
      <Facts
        facts={[
          ['Amount', <Amount key="amount" amount={facts.amount} asset={facts.asset} />],
          [
            'Payee',
            <span key="payee">
              <strong>{payee.name}</strong>
              <br />
              <span>{payee.domain}</span> {payee.verified && <Status tone="good">Proven</Status>}
            </span>,
          ],
          [
            'Address',
            <Stack key="address">
              <Address address={facts.to} />
              <div>
                <CopyButton text={facts.to} label="Copy address" />
              </div>
            </Stack>,
          ],
          ['Network', networkName(facts.network)],
          ...(facts.issuer ? ([['Issuer', <Address key="issuer" address={facts.issuer} />]] as const) : []),
          ...(facts.contract ? ([['Contract', <Address key="contract" address={facts.contract} />]] as const) : []),
          ...(facts.memo ? ([['Memo', <code key="memo">{facts.memo}</code>]] as const) : []),
          [
            'Asked for by',
            <span key="agent">
              {payment.kind === 'agent_payment' && payment.initiator === 'human'
                ? 'A person at the merchant'
                : (agentName ?? 'An agent')}
              {isByPolicy(payment) && ', by its policy'}
              {merchantName !== undefined && <Muted> for {merchantName}</Muted>}
            </span>,
          ],
        ]}
      />
    </Card>
  );
}
