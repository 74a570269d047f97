import { useState } from 'react';
import { type WebhookEndpoint } from '../../../sdk/src/types/webhook.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { PageHead, Stack } from '../../ui/Layout.tsx';
import { goTo, hrefOf } from '../../ui/router.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { useMerchant } from '../use-merchant.ts';
import { AddEndpoint } from './AddEndpoint.tsx';
import { EndpointStatus } from './EndpointStatus.tsx';

export default function Webhooks() {
  const { client } = useMerchant();
  const [isAdding, setAdding] = useState(false);
  const query = usePages(['endpoints'], async (cursor, signal) => {
    const page = await client.webhooks.list(cursor === undefined ? {} : { cursor }, { signal });
    return { rows: page.webhook_endpoints, next: page.next_cursor };
  });
  const add = (
    <Button look="main" onPress={() => setAdding(true)}>
      Add endpoint
    </Button>
  );
  return (
    <>
      <PageHead title="Webhooks" action={add}>
        Your addresses that receive signed messages, in order, about payments and connections.
      </PageHead>
      <Loaded query={query}>
        {(endpoints) =>
          endpoints.length === 0 ? (
            <Empty title="No endpoint yet">
              Add the address of your receiver; after it has answered a challenge it is told everything.
            </Empty>
          ) : (
            <Stack>
              <Table<WebhookEndpoint>
                label="Endpoints"
                rows={endpoints}
                keyOf={({ webhook_endpoint_id }) => webhook_endpoint_id}
                columns={[
                  {
                    title: 'URL',
                    cell: ({ webhook_endpoint_id: id, url }) => <a href={hrefOf(`/webhooks/${id}`)}>{url}</a>,
                  },
                  { title: 'Status', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
                  { title: 'Description', cell: ({ description }) => description },
                  { title: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
                ]}
              />
              <ShowMore query={query} />
            </Stack>
          )
        }
      </Loaded>
      <AddEndpoint isOpen={isAdding} onClose={() => setAdding(false)} onAdded={(id) => goTo(`/webhooks/${id}`)} />
    </>
  );
}
