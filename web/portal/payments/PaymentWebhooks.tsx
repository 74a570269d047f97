import { Empty } from '../../ui/Empty.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { ShowMore, usePages } from '../shell/use-pages.tsx';
import { useMerchant } from '../use-merchant.ts';
import { Deliveries } from '../webhooks/Deliveries.tsx';

/** The webhooks sent about this payment. */
export function PaymentWebhooks({ id }: Readonly<{ id: string }>) {
  const { client } = useMerchant();
  const query = usePages(['deliveries', 'payment', id], async (cursor, signal) => {
    const page = await client.webhooks.listDeliveries(
      { subject_id: id, ...(cursor === undefined ? {} : { cursor }) },
      { signal },
    );
    return { rows: page.webhook_deliveries, next: page.next_cursor };
  });
  return (
    <Loaded query={query}>
      {(deliveries) =>
        deliveries.length === 0 ? (
          <Empty title="Nothing was sent">No active endpoint subscribed to these events.</Empty>
        ) : (
          <>
            <Deliveries deliveries={deliveries} withEndpoint />
            <ShowMore query={query} />
          </>
        )
      }
    </Loaded>
  );
}
