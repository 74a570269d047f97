import { useState } from 'react';
import { type Recipient } from '../../../sdk/src/types/merchant.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { PageHead, Stack } from '../../ui/Layout.tsx';
import { goTo, hrefOf } from '../../ui/router.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useNetworkName } from '../shell/use-networks.ts';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { useMerchant } from '../use-merchant.ts';
import { AddPayee } from './PayeeForms.tsx';

export default function Payees() {
  const { client } = useMerchant();
  const [isAdding, setAdding] = useState(false);
  const networkName = useNetworkName();
  const query = usePages(['recipients'], async (cursor, signal) => {
    const page = await client.recipients.list(cursor === undefined ? {} : { cursor }, { signal });
    return { rows: page.recipients, next: page.next_cursor };
  });
  const add = (
    <Button look="main" onPress={() => setAdding(true)}>
      Add payee
    </Button>
  );
  return (
    <>
      <PageHead title="Payees" action={add}>
        Where money may go. An agent names a payee; the address always comes from the active version here.
      </PageHead>
      <Loaded query={query}>
        {(payees) =>
          payees.length === 0 ? (
            <Empty title="No payee yet">Add an account that agents may request payments to.</Empty>
          ) : (
            <Stack>
              <Table<Recipient>
                label="Payees"
                rows={payees}
                keyOf={({ recipient_id }) => recipient_id}
                columns={[
                  {
                    title: 'Name',
                    cell: ({ recipient_id, name }) => <a href={hrefOf(`/payees/${recipient_id}`)}>{name}</a>,
                  },
                  { title: 'Network', cell: (payee) => networkName(shownVersion(payee)?.network ?? '') },
                  { title: 'Asset', cell: (payee) => shownVersion(payee)?.asset },
                  {
                    title: 'Status',
                    cell: (payee) => <StatusWord status={shownVersion(payee)?.status ?? 'created'} />,
                  },
                  { title: 'Versions', cell: ({ versions }) => versions.length, align: 'end' },
                  { title: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
                ]}
              />
              <ShowMore query={query} />
            </Stack>
          )
        }
      </Loaded>
      <AddPayee isOpen={isAdding} onClose={() => setAdding(false)} onAdded={(id) => goTo(`/payees/${id}`)} />
    </>
  );
}

/** The active version, or the newest if none is active. */
const shownVersion = ({ versions, active_version_id: active }: Recipient) =>
  versions.find(({ recipient_version_id: id }) => id === active) ?? versions.at(-1);
