import { useSyncExternalStore } from 'react';
import { Amount } from '../../ui/Amount.tsx';
import { Muted } from '../../ui/Layout.tsx';
import { hrefOf } from '../../ui/router.tsx';
import { Seal } from '../../ui/Settlement.tsx';
import { Status } from '../../ui/Status.tsx';
import { Countdown, Time } from '../../ui/Time.tsx';
import { outboxView } from './approve.ts';
import { paymentKey } from './outbox.ts';
import { PaymentStatus } from './PaymentStatus.tsx';
import { isByPolicy, type Payment, placeOf } from './payments.ts';
import { useAsker } from './use-asker.ts';
import styles from './PaymentList.module.css';

type PaymentListProps = Readonly<{ label: string; payments: readonly Payment[]; empty: string }>;

export function PaymentList({ label, payments, empty }: PaymentListProps) {
  const kept = useSyncExternalStore(outboxView.subscribe, () => outboxView.payments);
  const askerOf = useAsker();
  if (payments.length === 0) return <Muted>{empty}</Muted>;
  return (
    <ul className={styles['list']} aria-label={label}>
      {payments.map((one) => (
        <li key={paymentKey(one)}>
          <a href={hrefOf(placeOf(one))}>
            <span className={styles['what']}>
              <strong>{one.payee.name}</strong>
              <Muted>
                {[one.payee.domain, askerOf(one).agentName].filter((name) => name !== undefined).join(' · ')}
              </Muted>
            </span>
            <span className={styles['how']}>
              <Amount amount={one.facts.amount} asset={one.facts.asset} />
              <span className={styles['state']}>
                {isByPolicy(one) && <Status tone="calm">By policy</Status>}
                {kept.get(paymentKey(one))?.way === 'practice' && <Status tone="warn">Practice</Status>}
                <PaymentStatus status={one.status} />
                <Seal settlement={one.settlement} isContested={one.contested} />
                <Muted>
                  {one.status === 'pending' ? <Countdown until={one.expiresAt} /> : <Time at={one.createdAt} />}
                </Muted>
              </span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
