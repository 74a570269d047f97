import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SvcError } from '../../../sdk/src/errors.ts';
import { localDay, startOf } from '../../ui/local-day.ts';
import { hrefOf, withQuery } from '../../ui/router.tsx';
import { useNow } from '../../ui/Time.tsx';
import { useMerchant } from '../use-merchant.ts';
import { type Count, countFailing } from '../webhooks/failing.ts';
import { type DayOutcome, endedSince, OUTCOMES, type Today } from './today.ts';
import styles from './Home.module.css';

const MAX_COUNTED = 200;

const TITLES: Readonly<Record<DayOutcome, string>> = {
  confirmed: 'Confirmed today',
  failed: 'Failed today',
  expired: 'Expired today',
};

/** Counts of open payments, of those that ended today by outcome, and of failed deliveries; they update by themselves. */
export function Figures() {
  // The page may stay open overnight.
  const day = localDay(useNow());
  const today = useToday(day);
  return (
    <section aria-label="Figures" className={styles['figures']}>
      <Figure title="Open" count={useOpen()} to="/payments" />
      {OUTCOMES.map((outcome) => (
        <Figure
          key={outcome}
          title={TITLES[outcome]}
          count={today && { count: today.ended[outcome].count, isMore: today.isMore }}
          to={withQuery('/payments', { status: outcome, from: dayOf(today?.ended[outcome].oldest) ?? day })}
        />
      ))}
      <Figure title="Failed deliveries" count={useFailedDeliveries()} to="/webhooks" />
    </section>
  );
}

const dayOf = (time: string | undefined): string | undefined => time && localDay(Date.parse(time));

const Figure = ({ title, count, to }: Readonly<{ title: string; count: Count | undefined; to: string }>) => (
  <a className={styles['figure']} href={hrefOf(to)}>
    <span className={styles['number']}>{count === undefined ? '–' : `${count.count}${count.isMore ? '+' : ''}`}</span>
    <span>{title}</span>
  </a>
);

const counted = (length: number, next: string | null): Count => ({ count: length, isMore: next !== null });

function useToday(day: string): Today | undefined {
  const { client } = useMerchant();
  const queries = useQueryClient();
  const queryKey = ['payments', 'ended', day];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const from = startOf(day);
      const read = (query: Parameters<typeof client.pollEvents>[0]) => client.pollEvents(query, { signal });
      const before = queries.getQueryData<Today>(queryKey);
      return endedSince(from, read, before).catch((error: unknown) => {
        // After a restore from a backup the feed may end earlier than it was read.
        if (before === undefined || !(error instanceof SvcError)) throw error;
        return endedSince(from, read);
      });
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
