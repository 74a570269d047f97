import { type Connection } from '../../../sdk/src/types/connect.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { PageHead, Stack } from '../../ui/Layout.tsx';
import { hrefOf } from '../../ui/router.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { scopesInWords } from '../shell/status-labels.ts';
import { useMerchant } from '../use-merchant.ts';

export default function Connections() {
  const { client } = useMerchant();
  const query = usePages(['connections'], async (cursor, signal) => {
    const page = await client.connections.list(cursor === undefined ? {} : { cursor }, { signal });
    return { rows: page.connections, next: page.next_cursor };
  });
  return (
    <>
      <PageHead title="Connections">
        People who let one of your agents ask them for payments. Only they can pause or end it, in their wallet.
      </PageHead>
      <Loaded query={query}>
        {(connections) =>
          connections.length === 0 ? (
            <Empty title="Nobody is connected yet" action={<LinkButton to="/agents">Go to Agents</LinkButton>}>
              A person shows a Connect Key in their wallet or types your agent’s pairing code; once approved, it appears
              here.
            </Empty>
          ) : (
            <Stack>
              <Table<Connection>
                label="Connections"
                rows={connections}
                keyOf={({ connection_id }) => connection_id}
                columns={[
                  { title: 'Connection', cell: ({ connection_id }) => <code>{connection_id}</code> },
                  {
                    title: 'Agent',
                    cell: ({ agent_id, agent_name }) => <a href={hrefOf(`/agents/${agent_id}`)}>{agent_name}</a>,
                  },
                  { title: 'Status', cell: ({ status }) => <StatusWord status={status} /> },
                  { title: 'May', cell: ({ scopes }) => scopesInWords(scopes) },
                  { title: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
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
