import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type PaymentRequest } from '../../../sdk/src/types/payment.ts';
import { Amount } from '../../ui/Amount.tsx';
import { Card, Notice, PageHead, Section } from '../../ui/Layout.tsx';
import { Seal } from '../../ui/Settlement.tsx';
import { Countdown, exactTime } from '../../ui/Time.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { isNotFound, NotFound } from '../shell/NotFound.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useNetworkName } from '../shell/use-networks.ts';
import { useMerchant } from '../use-merchant.ts';
import { Moment } from './Moment.tsx';
import { PaymentFactList } from './PaymentFactList.tsx';
import { PaymentSettlement } from './PaymentSettlement.tsx';
import { PaymentTimeline } from './PaymentTimeline.tsx';
import { PaymentWebhooks } from './PaymentWebhooks.tsx';
import { Proof } from './Proof.tsx';
import { useTimeline } from './use-timeline.ts';
import styles from './Payments.module.css';

export default function Payment({ id }: Readonly<{ id: string }>) {
  const { client } = useMerchant();
  const query = useQuery({
    queryKey: ['payments', 'one', id],
    queryFn: ({ signal }) => client.payments.read(id, {}, { signal }),
  });
  if (isNotFound(query.error)) return <NotFound back="/payments" name="Payments" />;
  return <Loaded query={query}>{(payment) => <Detail payment={payment} />}</Loaded>;
}

function Detail({ payment }: Readonly<{ payment: PaymentRequest }>) {
  const { client } = useMerchant();
  const { request_id: id } = payment;
  const networkName = useNetworkName();
  const timeline = useTimeline(id);
  /** The moment that is looked at; undefined is now. */
  const [asOf, setAsOf] = useState<string>();
  const then = useQuery({
    queryKey: ['payments', 'as-of', id, asOf],
    queryFn: ({ signal }) => client.payments.read(id, asOf === undefined ? {} : { as_of: asOf }, { signal }),
    enabled: asOf !== undefined,
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
  const shown = asOf === undefined ? { ...then, data: payment } : then;
  return (
    <>
      <PageHead
        title={id}
        action={
          <>
            <StatusWord status={payment.status} />
            <Seal settlement={payment.settlement} />
          </>
        }
      >
        <Amount
          amount={payment.payment.amount}
          asset={payment.payment.asset}
          network={networkName(payment.payment.network)}
        />{' '}
        to {payment.payee.name}
        {payment.status === 'pending' && (
          <>
            {' '}
            · waits for <Countdown until={payment.expires_at} over="a moment" /> more
          </>
        )}
      </PageHead>
      <Moment payment={payment} moments={timeline.data ?? []} asOf={asOf} onChange={setAsOf} />
      {asOf !== undefined && (
        <Notice>As it was on {exactTime(asOf)}. Nothing here can be changed by looking back.</Notice>
      )}
      <div className={styles['columns']}>
        <div className={styles['side']}>
          <Section title="Facts">
            <Card>
              <Loaded query={shown}>{(seen) => <PaymentFactList payment={seen} />}</Loaded>
            </Card>
          </Section>
          {shown.data !== undefined && (
            <PaymentSettlement payment={shown.data} lookAgainAt={asOf === undefined ? id : undefined} />
          )}
          <Section title="Proof">
            <Proof id={id} />
          </Section>
        </div>
        <div className={styles['side']}>
          <Section title="Timeline">
            <Card>
              <Loaded query={timeline}>{(entries) => <PaymentTimeline entries={entries} until={asOf} />}</Loaded>
            </Card>
          </Section>
        </div>
      </div>
      <Section title="Webhooks">
        <PaymentWebhooks id={id} />
      </Section>
    </>
  );
}
