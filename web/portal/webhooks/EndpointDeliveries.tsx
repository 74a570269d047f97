import { useState } from 'react';
import { type WebhookDelivery, type WebhookEndpoint } from '../../../sdk/src/types/webhook.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { SelectField } from '../../ui/Field.tsx';
import { Row, Stack } from '../../ui/Layout.tsx';
import { toast } from '../../ui/Toast.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { useAction } from '../shell/use-action.ts';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { changed, useMerchant } from '../use-merchant.ts';
import { Deliveries } from './Deliveries.tsx';

/** The page polls: delivery attempts are not in the feed. */
const POLL_INTERVAL_MS = 3_000;

export function EndpointDeliveries({ endpoint }: Readonly<{ endpoint: WebhookEndpoint }>) {
  const { client } = useMerchant();
  const { webhook_endpoint_id: id, created_at, status: standing } = endpoint;
  const [status, setStatus] = useState<string>('');
  const query = usePages(
    ['deliveries', 'endpoint', id, status],
    async (cursor, signal) => {
      const wanted = status === '' ? {} : { status: status as WebhookDelivery['status'] };
      const page = await client.webhooks.listDeliveries(
        { endpoint_id: id, ...wanted, ...(cursor === undefined ? {} : { cursor }) },
        { signal },
      );
      return { rows: page.webhook_deliveries, next: page.next_cursor };
    },
    POLL_INTERVAL_MS,
  );
  const all = useAction(async () => {
    const { count } = await client.webhooks.recover(id, created_at);
    changed('deliveries');
    toast(count === 0 ? 'Nothing has failed.' : `Sent again: ${count}.`);
  });
  return (
    <Stack>
      <Row align="end">
        <SelectField
          label="Status"
          name="status"
          value={status}
          onChange={(event) => setStatus(event.currentTarget.value)}
        >
          <option value="">All</option>
          <option value="pending">Pending</option>
          <option value="succeeded">Delivered</option>
          <option value="failed">Failed</option>
          <option value="cancelled">Cancelled</option>
        </SelectField>
        <Button isPending={all.isPending} isDisabled={standing !== 'active'} onPress={() => all.run()}>
          Redeliver all failed
        </Button>
      </Row>
      {all.error !== undefined && <ErrorNotice error={all.error} />}
      <Loaded query={query}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Empty title="Nothing here">
              {status === ''
                ? 'What is sent to this address appears here with every attempt.'
                : 'No delivery has this status.'}
            </Empty>
          ) : (
            <Stack>
              <Deliveries deliveries={deliveries} />
              <ShowMore query={query} />
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  );
}
