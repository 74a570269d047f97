import { Address } from '../../ui/Address.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { Card, Facts, Muted, Stack } from '../../ui/Layout.tsx';
import { Status } from '../../ui/Status.tsx';
import { networkName } from '../networks.ts';
import { type Payment } from './payments.ts';
import styles from './PaymentFacts.module.css';

/** What is paid, to whom, and how this is known: from the proven payee, nothing of it from the agent. */
export function PaymentFacts({ payment }: Readonly<{ payment: Payment }>) {
  const { facts, payee, agentName, merchantName } = payment;
  return (
    <Card>
      <p className={styles['figure']} translate="no">
        <strong>{facts.amount}</strong> {facts.asset}
      </p>
      <Facts
        facts={[
          [
            'Payee',
            <span key="payee">
              <strong>{payee.name}</strong>
              <br />
              {payee.domain} {payee.verified && <Status tone="good">Proven</Status>}
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
          ['Amount', <span key="amount" translate="no">{`${facts.amount} ${facts.asset}`}</span>],
          ['Network', networkName(facts.network)],
          ...(facts.issuer ? ([['Issuer', <Address key="issuer" address={facts.issuer} />]] as const) : []),
          ...(facts.contract ? ([['Contract', <Address key="contract" address={facts.contract} />]] as const) : []),
          ...(facts.memo ? ([['Memo', <code key="memo">{facts.memo}</code>]] as const) : []),
          [
            'Asked for by',
            <span key="agent">
              {agentName ?? (payment.initiator === 'agent' ? 'An agent, by its policy' : 'A person at the merchant')}
              {merchantName !== undefined && <Muted> for {merchantName}</Muted>}
            </span>,
          ],
        ]}
      />
    </Card>
  );
}
