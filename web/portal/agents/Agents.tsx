import { useState } from 'react';
import { type Agent } from '../../../sdk/src/types/merchant.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { PageHead, Stack } from '../../ui/Layout.tsx';
import { goTo, hrefOf } from '../../ui/router.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { useMerchant } from '../use-merchant.ts';
import { CreateAgent } from './CreateAgent.tsx';

export default function Agents() {
  const { client } = useMerchant();
  const [isCreating, setCreating] = useState(false);
  const query = usePages(['agents'], async (cursor, signal) => {
    const page = await client.agents.list(cursor === undefined ? {} : { cursor }, { signal });
    return { rows: page.agents, next: page.next_cursor };
  });
  const create = (
    <Button look="main" onPress={() => setCreating(true)}>
      Create agent
    </Button>
  );
  return (
    <>
      <PageHead title="Agents" action={create}>
        Programs that may ask people for payments in your name. Each signs in with its own key.
      </PageHead>
      <Loaded query={query}>
        {(agents) =>
          agents.length === 0 ? (
            <Empty title="No agent yet">Create one, give it a key, then activate it.</Empty>
          ) : (
            <Stack>
              <Table<Agent>
                label="Agents"
                rows={agents}
                keyOf={({ agent_id }) => agent_id}
                columns={[
                  { title: 'Name', cell: ({ agent_id, name }) => <a href={hrefOf(`/agents/${agent_id}`)}>{name}</a> },
                  { title: 'Runtime', cell: ({ runtime }) => runtime },
                  { title: 'Status', cell: ({ status }) => <StatusWord status={status} /> },
                  {
                    title: 'Keys in use',
                    cell: ({ credentials }) => credentials.filter(({ status }) => status === 'active').length,
                    align: 'end',
                  },
                  { title: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
                ]}
              />
              <ShowMore query={query} />
            </Stack>
          )
        }
      </Loaded>
      <CreateAgent isOpen={isCreating} onClose={() => setCreating(false)} onCreated={(id) => goTo(`/agents/${id}`)} />
    </>
  );
}
