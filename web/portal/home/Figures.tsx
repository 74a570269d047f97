import { useQuery } from '@tanstack/react-query';
import { type PaymentStatus } from '../../../sdk/src/types/payment.ts';
import { localDay, startOf } from '../../ui/local-day.ts';
import { hrefOf, withQuery } from '../../ui/router.tsx';
import { useNow } from '../../ui/Time.tsx';
import { useMerchant } from '../use-merchant.ts';
import { type Count, countFailing } from '../webhooks/failing.ts';
import styles from './Home.module.css';

const MAX_COUNTED = 200;

/** Counts of open payments, of today's by outcome, and of failed deliveries; they update by themselves. */
export function Figures() {
  // The page may stay open overnight.
  const day = localDay(useNow());
  return (
    <section aria-label="Figures" className={styles['figures']}>
      <Figure title="Open" count={useOpen()} to="/payments" />
      <Figure
        title="Confirmed today"
        count={useToday('confirmed', day)}
        to={withQuery('/payments', { status: 'confirmed', from: day })}
      />
      <Figure
        title="Failed today"
        count={useToday('failed', day)}
        to={withQuery('/payments', { status: 'failed', from: day })}
      />
      <Figure
        title="Expired today"
        count={useToday('expired', day)}
        to={withQuery('/payments', { status: 'expired', from: day })}
      />
      <Figure title="Failed deliveries" count={useFailedDeliveries()} to="/webhooks" />
    </section>
  );
}

const Figure = ({ title, count, to }: Readonly<{ title: string; count: Count | undefined; to: string }>) => (
  <a className={styles['figure']} href={hrefOf(to)}>
    <span className={styles['number']}>{count === undefined ? '–' : `${count.count}${count.isMore ? '+' : ''}`}</span>
    <span>{title}</span>
  </a>
);

const counted = (length: number, next: string | null): Count => ({ count: length, isMore: next !== null });

function useToday(status: PaymentStatus, day: string): Count | undefined {
  const { client } = useMerchant();
  return useQuery({
    queryKey: ['payments', 'count', status, day],
    queryFn: async ({ signal }) => {
      const created_from = startOf(day);
      const page = await client.payments.list({ status, created_from, limit: MAX_COUNTED }, { signal });
      return counted(page.payment_requests.length, page.next_cursor);
    },
  }).data;
}

function useOpen(): Count | undefined {
  const { client } = useMerchant();
  return useQuery({
    queryKey: ['payments', 'count', 'open'],
    queryFn: async ({ signal }) => {
      const open = ['pending', 'signed', 'broadcasted'] as const;
      const pages = await Promise.all(
        open.map((status) => client.payments.list({ status, limit: MAX_COUNTED }, { signal })),
      );
      const length = pages.reduce((sum, { payment_requests }) => sum + payment_requests.length, 0);
      return counted(length, pages.find(({ next_cursor }) => next_cursor !== null)?.next_cursor ?? null);
    },
  }).data;
}

/** Given up, or failed so far and being retried: the last attempt comes days later, too late to learn of an outage. */
function useFailedDeliveries(): Count | undefined {
  const { client } = useMerchant();
  return useQuery({
    queryKey: ['deliveries', 'count', 'failed'],
    queryFn: async ({ signal }) => {
      const [failed, failing] = await Promise.all([
        client.webhooks.listDeliveries({ status: 'failed', limit: MAX_COUNTED }, { signal }),
        countFailing(client, { enough: MAX_COUNTED, signal }),
      ]);
      const count = failed.webhook_deliveries.length + failing.count;
      return { count, isMore: failed.next_cursor !== null || failing.isMore };
    },
    refetchInterval: 15_000,
  }).data;
}
