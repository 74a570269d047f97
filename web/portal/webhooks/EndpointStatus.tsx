import { type WebhookEndpoint } from '../../../sdk/src/types/webhook.ts';
import { Status } from '../../ui/Status.tsx';

export function EndpointStatus({ endpoint }: Readonly<{ endpoint: WebhookEndpoint }>) {
  if (endpoint.status === 'active') return <Status tone="good">Active</Status>;
  if (endpoint.status === 'pending') return <Status tone="warn">Not verified</Status>;
  return <Status tone="bad">Disabled</Status>;
}
