import { useState } from 'react';
import { type PaymentRequest, type PaymentStatus } from '../../../sdk/src/types/payment.ts';
import { Amount } from '../../ui/Amount.tsx';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { PageHead, Stack } from '../../ui/Layout.tsx';
import { goTo, hrefOf, usePlace, withQuery } from '../../ui/router.tsx';
import { Table } from '../../ui/Table.tsx';
import { Countdown, Time } from '../../ui/Time.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useNetworkName } from '../shell/use-networks.ts';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { useMerchant } from '../use-merchant.ts';
import { Filters } from './Filters.tsx';
import { SearchBox } from './SearchBox.tsx';

export type Wanted = Readonly<Partial<Record<'q' | 'status' | 'agent_id' | 'recipient_id' | 'from' | 'to', string>>>;

export const linkTo = (id: string): string => `/payments/${encodeURIComponent(id)}`;

/** All payments, newest first. What is looked for stands in the address, so that it can be kept and sent on. */
export default function Payments() {
  const { client } = useMerchant();
  const { query: asked } = usePlace();
  const wanted: Wanted = Object.fromEntries(asked);
  const networkName = useNetworkName();
  const query = usePages(['payments', 'list', wanted], async (cursor, signal) => {
    const page = await client.payments.list(
      { ...filtersOf(wanted), ...(cursor === undefined ? {} : { cursor }) },
      { signal },
    );
    return { rows: page.payment_requests, next: page.next_cursor };
  });
  const look = (next: Wanted): void => goTo(withQuery('/payments', next), 'replace');
  return (
    <>
      <PageHead title="Payments">Everything your agents asked for, as it stands right now.</PageHead>
      <Search wanted={wanted} onLook={look} />
      <Filters wanted={wanted} onLook={look} />
      <Loaded query={query}>
        {(payments) =>
          payments.length === 0 ? (
            <Nothing isFiltered={Object.keys(wanted).length > 0} />
          ) : (
            <Stack>
              <Table<PaymentRequest>
                label="Payments"
                rows={payments}
                keyOf={({ connection_id, request_id }) => connection_id + request_id}
                columns={[
                  { title: 'Payment', cell: ({ request_id }) => <a href={hrefOf(linkTo(request_id))}>{request_id}</a> },
                  {
                    title: 'Amount',
                    align: 'end',
                    cell: ({ payment }) => (
                      <Amount amount={payment.amount} asset={payment.asset} network={networkName(payment.network)} />
                    ),
                  },
                  { title: 'Payee', cell: ({ payee }) => payee.name },
                  { title: 'Agent', cell: ({ source }) => String(source['agent_name'] ?? '') },
                  { title: 'Status', cell: (payment) => <State payment={payment} /> },
                  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
                ]}
              />
              <ShowMore query={query} />
            </Stack>
          )
        }
      </Loaded>
    </>
  );
}

/** A request that waits says for how long it still can. */
const State = ({ payment }: Readonly<{ payment: PaymentRequest }>) => (
  <>
    <StatusWord status={payment.status} />
    {payment.status === 'pending' && (
      <>
        {' '}
        <Countdown until={payment.expires_at} over="" />
      </>
    )}
  </>
);

const Nothing = ({ isFiltered }: Readonly<{ isFiltered: boolean }>) =>
  isFiltered ? (
    <Empty title="Nothing fits" action={<Button onPress={() => goTo('/payments', 'replace')}>Show all</Button>}>
      The search finds a payment by its request id, transaction id, idempotency key or transaction hash, exactly.
    </Empty>
  ) : (
    <Empty title="No payment yet">As soon as an agent asks for one it appears here, without reloading.</Empty>
  );

function Search({ wanted, onLook }: Readonly<{ wanted: Wanted; onLook: (wanted: Wanted) => void }>) {
  const [text, setText] = useState(wanted.q ?? '');
  const { q: _, ...others } = wanted;
  const find = (q: string): void => onLook(q.trim() === '' ? others : { ...others, q: q.trim() });
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        find(text);
      }}
    >
      <SearchBox text={text} onText={(next) => (setText(next), next === '' && find(''))} />
    </form>
  );
}

const startOf = (day: string): string => new Date(`${day}T00:00:00`).toISOString();
const endOf = (day: string): string => new Date(`${day}T23:59:59.999`).toISOString();

const filtersOf = ({ from, to, status, ...rest }: Wanted) => ({
  ...rest,
  ...(status === undefined ? {} : { status: status as PaymentStatus }),
  ...(from === undefined ? {} : { created_from: startOf(from) }),
  ...(to === undefined ? {} : { created_to: endOf(to) }),
});
