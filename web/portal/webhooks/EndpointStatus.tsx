import { useQuery } from '@tanstack/react-query';
import { type WebhookEndpoint } from '../../../sdk/src/types/webhook.ts';
import { Row } from '../../ui/Layout.tsx';
import { Status } from '../../ui/Status.tsx';
import { useMerchant } from '../use-merchant.ts';
import { countFailing } from './failing.ts';

const POLL_INTERVAL_MS = 10_000;

/** Whether a pending delivery was not accepted at its last attempt. */
function useIsFailing({ webhook_endpoint_id: endpoint_id, status }: WebhookEndpoint): boolean {
  const { client } = useMerchant();
  const query = useQuery({
    queryKey: ['deliveries', 'failing', endpoint_id],
    queryFn: async ({ signal }) => (await countFailing(client, { endpoint_id, enough: 1, signal })).count > 0,
    enabled: status === 'active',
    refetchInterval: POLL_INTERVAL_MS,
  });
  return query.data ?? false;
}

export function EndpointStatus({ endpoint }: Readonly<{ endpoint: WebhookEndpoint }>) {
  const isFailing = useIsFailing(endpoint);
  if (endpoint.status === 'active' && isFailing) {
    return (
      <Row>
        <Status tone="good">Active</Status>
        <Status tone="bad">Failing</Status>
      </Row>
    );
  }
  if (endpoint.status === 'active') return <Status tone="good">Active</Status>;
  if (endpoint.status === 'pending') return <Status tone="warn">Not verified</Status>;
  return <Status tone="bad">Disabled</Status>;
}
