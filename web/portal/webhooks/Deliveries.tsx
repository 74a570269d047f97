import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { type WebhookAttempt, type WebhookDelivery } from '../../../sdk/src/types/webhook.ts';
import { allOf } from '../../live/all-of.ts';
import { serviceNow } from '../../live/clock.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { Button } from '../../ui/Button.tsx';
import { Muted } from '../../ui/Layout.tsx';
import { hrefOf } from '../../ui/router.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { exactTime } from '../../ui/time-words.ts';
import { toast } from '../../ui/Toast.tsx';
import { StatusWord } from '../shell/StatusWord.tsx';
import { useAction } from '../shell/use-action.ts';
import { changed, useMerchant } from '../use-merchant.ts';

type DeliveriesProps = Readonly<{ deliveries: readonly WebhookDelivery[]; withEndpoint?: boolean }>;

/** Deliveries with their attempts: when, how long, what came back. */
export function Deliveries({ deliveries, withEndpoint = false }: DeliveriesProps) {
  const isDeleted = useDeleted(withEndpoint);
  return (
    <Table<WebhookDelivery>
      label="Deliveries"
      rows={deliveries}
      keyOf={({ webhook_delivery_id }) => webhook_delivery_id}
      columns={[
        {
          title: 'Event',
          cell: ({ event_type, webhook_delivery_id, subject_id }) => (
            <>
              <EventName type={event_type} />
              <br />
              {withEndpoint ? <Muted>{webhook_delivery_id}</Muted> : <Subject type={event_type} id={subject_id} />}
            </>
          ),
        },
        ...(withEndpoint
          ? [
              {
                title: 'Endpoint',
                cell: ({ webhook_endpoint_id: id }: WebhookDelivery) =>
                  isDeleted(id) ? <Muted>{id} (deleted)</Muted> : <a href={hrefOf(`/webhooks/${id}`)}>{id}</a>,
              },
            ]
          : []),
        { title: 'Status', cell: ({ status }) => <StatusWord status={status} /> },
        { title: 'Attempts', cell: (delivery) => <Attempts delivery={delivery} /> },
        { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
        {
          title: 'Actions',
          cell: (delivery) => !isDeleted(delivery.webhook_endpoint_id) && <Redeliver delivery={delivery} />,
        },
      ]}
    />
  );
}

/** Deliveries outlive their endpoint, whose page is gone: nothing leads there, and nothing is sent there again. */
function useDeleted(isAsked: boolean): (endpointId: string) => boolean {
  const { client } = useMerchant();
  const { data } = useQuery({
    queryKey: ['endpoints', 'all'],
    queryFn: ({ signal }) =>
      allOf(
        (page) => client.webhooks.list(page, { signal }),
        (answer) => answer.webhook_endpoints,
      ),
    enabled: isAsked,
  });
  return (id) => data !== undefined && !data.some(({ webhook_endpoint_id }) => webhook_endpoint_id === id);
}

/** May wrap after a dot, so that a narrow column does not break it within a word. */
const EventName = ({ type }: Readonly<{ type: string }>) => (
  <span>
    {type.split(/(?<=\.)/).map((part) => (
      <Fragment key={part}>
        {part}
        <wbr />
      </Fragment>
    ))}
  </span>
);

const Subject = ({ type, id }: Readonly<{ type: string; id: string }>) =>
  placeOf(type) === undefined ? (
    <Muted>{id}</Muted>
  ) : (
    <a href={hrefOf(`${placeOf(type)}/${encodeURIComponent(id)}`)}>{id}</a>
  );

function placeOf(type: string): string | undefined {
  if (type.startsWith('payment_request.')) return '/payments';
  return type.startsWith('agent_payment.') ? '/agent-payments' : undefined;
}

/** Due, but not sent: messages about one payment are delivered in order. */
const isHeldBack = ({ status, attempt_count, next_attempt_at }: WebhookDelivery): boolean =>
  status === 'pending' &&
  attempt_count === 0 &&
  next_attempt_at !== null &&
  Date.parse(next_attempt_at) < serviceNow() - 5_000;

function Attempts({ delivery }: Readonly<{ delivery: WebhookDelivery }>) {
  const { attempts, attempt_count, next_attempt_at, status } = delivery;
  const last = attempts.at(-1);
  return (
    <>
      {last === undefined ? <Muted>none yet</Muted> : <span title={exactTime(last.sent_at)}>{outcome(last)}</span>}
      {isHeldBack(delivery) && ' · waits for an earlier message'}
      {status === 'pending' && next_attempt_at !== null && !isHeldBack(delivery) && (
        <>
          {' · next '}
          <Time at={next_attempt_at} />
        </>
      )}
      {attempt_count > 1 && (
        <details>
          <summary>All {attempt_count}</summary>
          <ol>
            {attempts.map((attempt) => (
              <li key={attempt.number} value={attempt.number} title={exactTime(attempt.sent_at)}>
                {outcome(attempt)}
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

const outcome = ({ status_code, duration_ms, error_kind }: WebhookAttempt): string =>
  [status_code ?? (error_kind ?? 'no answer').replaceAll('_', ' '), `${duration_ms} ms`].join(' · ');

function Redeliver({ delivery }: Readonly<{ delivery: WebhookDelivery }>) {
  const { client } = useMerchant();
  const again = useAction(async () => {
    await client.webhooks.redeliver(delivery.webhook_delivery_id);
    changed('deliveries');
    toast('It is sent again.');
  });
  return (
    <>
      <Button size="small" isPending={again.isPending} onPress={() => again.run()}>
        Redeliver
      </Button>
      {again.error !== undefined && <ErrorNotice error={again.error} />}
    </>
  );
}
