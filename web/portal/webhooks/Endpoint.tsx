import { useQuery } from '@tanstack/react-query';
import { type WebhookEndpoint } from '../../../sdk/src/types/webhook.ts';
import { Card, Facts, Notice, PageHead, Section } from '../../ui/Layout.tsx';
import { Time } from '../../ui/Time.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { isNotFound, NotFound } from '../shell/NotFound.tsx';
import { useMerchant } from '../use-merchant.ts';
import { EndpointActions } from './EndpointActions.tsx';
import { EndpointDeliveries } from './EndpointDeliveries.tsx';
import { EndpointStatus } from './EndpointStatus.tsx';
import { hasEvery } from './event-types.ts';

export default function Endpoint({ id }: Readonly<{ id: string }>) {
  const { client } = useMerchant();
  const query = useQuery({
    queryKey: ['endpoints', id],
    queryFn: ({ signal }) => client.webhooks.read(id, { signal }),
  });
  if (isNotFound(query.error)) return <NotFound back="/webhooks" name="Webhooks" />;
  return <Loaded query={query}>{(endpoint) => <Detail endpoint={endpoint} />}</Loaded>;
}

const DISABLED_BECAUSE: Readonly<Record<string, string>> = {
  merchant: 'You disabled it.',
  gone: 'It answered 410 (gone), so nothing more is sent.',
  failing: 'It failed for five days in a row, so nothing more is sent.',
};

function Detail({ endpoint }: Readonly<{ endpoint: WebhookEndpoint }>) {
  const {
    webhook_endpoint_id: id,
    url,
    description,
    events,
    verified_at,
    disabled_reason,
    previous_secret_until,
  } = endpoint;
  return (
    <>
      <PageHead title={url} action={<EndpointStatus endpoint={endpoint} />} />
      {endpoint.status === 'pending' && (
        <Notice tone="warn" title="Not verified">
          Nothing is sent before the receiver has returned a challenge that we send it: press “Verify” when it is
          running.
        </Notice>
      )}
      {disabled_reason !== null && (
        <Notice tone="bad" title="Disabled">
          {DISABLED_BECAUSE[disabled_reason] ?? disabled_reason} Verify it again to go on.
        </Notice>
      )}
      <Card>
        <Facts
          facts={[
            ['Endpoint id', <code key="id">{id}</code>],
            ...(description === null ? [] : [['Description', description] as const]),
            ['Events', hasEvery(events) ? 'All' : events.join(', ')],
            ['Verified', verified_at === null ? 'Not yet' : <Time key="verified" at={verified_at} />],
            ...(previous_secret_until === null
              ? []
              : [['Old secret also signs until', <Time key="until" at={previous_secret_until} />] as const]),
          ]}
        />
        <EndpointActions endpoint={endpoint} />
      </Card>
      <Section title="Deliveries">
        <EndpointDeliveries endpoint={endpoint} />
      </Section>
    </>
  );
}
