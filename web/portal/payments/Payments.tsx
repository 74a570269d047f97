import { useState } from 'react';
import { type PaymentStatus } from '../../../sdk/src/types/payment.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { PageHead, Stack } from '../../ui/Layout.tsx';
import { endOf, startOf } from '../../ui/local-day.ts';
import { goTo, usePlace, withQuery } from '../../ui/router.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { useMerchant } from '../use-merchant.ts';
import { Filters } from './Filters.tsx';
import { PaymentTable } from './PaymentTable.tsx';
import { SearchBox } from './SearchBox.tsx';

export type Wanted = Readonly<Partial<Record<'q' | 'status' | 'agent_id' | 'recipient_id' | 'from' | 'to', string>>>;

/** All payments, newest first. The filters are in the URL, so that they can be bookmarked and shared. */
export default function Payments() {
  const { client } = useMerchant();
  const { query: asked } = usePlace();
  const wanted: Wanted = Object.fromEntries(asked);
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
      <PageHead title="Payments" action={<LinkButton to="/agent-payments">Asked with an API key</LinkButton>}>
        Everything your agents asked for, in its current state.
      </PageHead>
      <Search wanted={wanted} onLook={look} />
      <Filters wanted={wanted} onLook={look} />
      <Loaded query={query}>
        {(payments) =>
          payments.length === 0 ? (
            <Nothing isFiltered={Object.keys(wanted).length > 0} />
          ) : (
            <Stack>
              <PaymentTable payments={payments} />
              <ShowMore query={query} />
            </Stack>
          )
        }
      </Loaded>
    </>
  );
}

const Nothing = ({ isFiltered }: Readonly<{ isFiltered: boolean }>) =>
  isFiltered ? (
    <Empty title="Nothing matches" action={<Button onPress={() => goTo('/payments', 'replace')}>Show all</Button>}>
      The search finds a payment by its request id, transaction id, idempotency key or transaction hash, exactly.
    </Empty>
  ) : (
    <Empty title="No payment yet">As soon as an agent asks for one, it appears here without reloading.</Empty>
  );

function Search({ wanted, onLook }: Readonly<{ wanted: Wanted; onLook: (wanted: Wanted) => void }>) {
  const { q = '', ...others } = wanted;
  const [text, setText] = useState(q);
  // The URL may also change through “Show all” or a link; the box then shows the new search term.
  const [searched, setSearched] = useState(q);
  if (searched !== q) {
    setSearched(q);
    setText(q);
  }
  const find = (words: string): void => onLook(words.trim() === '' ? others : { ...others, q: words.trim() });
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

const filtersOf = ({ from, to, status, ...rest }: Wanted) => ({
  ...rest,
  ...(status === undefined ? {} : { status: status as PaymentStatus }),
  ...(from === undefined ? {} : { created_from: startOf(from) }),
  ...(to === undefined ? {} : { created_to: endOf(to) }),
});
