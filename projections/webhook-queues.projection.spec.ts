import { attempted, at, cancelled, opened, requeued } from '../src/capabilities/webhooks/webhook-delivery.fixtures';
import { type WebhookDeliveryEvent } from '../src/events/webhook-delivery.events';
import * as endpoint from '../src/capabilities/webhooks/webhook-endpoint.fixtures';
import { type DomainEvent } from '../src/kernel/decider';
import { planBatch } from '../src/platform/read-model/plan-writes';
import { GivenLog } from '../test/support/given-log';
import { webhookLanes, webhookQueues, webhookQueuesProjection } from './webhook-queues.projection';

const { endpoint_id, merchant_id } = endpoint.created.data;
const { lane } = opened().data;
const LATER = '2030-01-01T00:00:05.000Z';
const failed = attempted({ status_code: 500, error_kind: 'bad_status', outcome: 'retry', next_due_at: LATER });
const givenUp = attempted({ status_code: 500, error_kind: 'bad_status', outcome: 'failed', next_due_at: null });

/** The same about another delivery of the lane. */
const next = (event: WebhookDeliveryEvent, sequence = 2): DomainEvent => ({
  type: event.type,
  data: { ...event.data, delivery_id: `whd_${sequence}`, sequence },
});

const given = (...ofEndpoint: readonly DomainEvent[]) =>
  new GivenLog([webhookQueuesProjection]).happens(`webhook_endpoint-${endpoint_id}`, ...ofEndpoint);
const working = () => given(endpoint.created, endpoint.verified);
const first = 'webhook_delivery-whd_1';
const second = 'webhook_delivery-whd_2';

describe('the queue of an endpoint', () => {
  it('begins empty, and is not in use before the endpoint is verified', async () => {
    const idle = { merchant_id, open: 0, busy: null, abandoned: null, failing_since: null };
    await given(endpoint.created).leadsTo(webhookQueues, endpoint_id, { ...idle, active: false });
    await working().leadsTo(webhookQueues, endpoint_id, { ...idle, active: true });
  });

  it('is busy while something is open, and knows since when it fails', async () => {
    const log = working().happens(first, opened(), failed);
    await log.leadsTo(webhookQueues, endpoint_id, { open: 1, busy: true, failing_since: at, last_failed_at: at });
  });

  it('keeps the first failure until something succeeds', async () => {
    const again = attempted({ number: 2, sent_at: LATER, outcome: 'retry', next_due_at: LATER, status_code: 500 });
    const log = working().happens(first, opened(), failed, again);
    await log.leadsTo(webhookQueues, endpoint_id, { failing_since: at, last_failed_at: LATER });
    log.happens(first, attempted({ number: 3 }));
    await log.leadsTo(webhookQueues, endpoint_id, { open: 0, busy: null, failing_since: null, last_failed_at: null });
  });

  it.each([
    ['succeeded', attempted()],
    ['was given up', givenUp],
    ['was cancelled', cancelled],
  ])('has nothing open when the last delivery %s', async (_, end) => {
    await working().happens(first, opened(), end).leadsTo(webhookQueues, endpoint_id, { open: 0, busy: null });
  });

  it('counts one that is sent again only if it had come to an end', async () => {
    const ended = working().happens(first, opened(), givenUp, requeued('manual', 'req_1', true));
    await ended.leadsTo(webhookQueues, endpoint_id, { open: 1, busy: true });
    const waiting = working().happens(first, opened(), failed, requeued('manual', 'req_1', false));
    await waiting.leadsTo(webhookQueues, endpoint_id, { open: 1, busy: true });
  });

  it('is not busy while switched off, and abandoned when deleted with something open', async () => {
    const off = working()
      .happens(first, opened())
      .happens(`webhook_endpoint-${endpoint_id}`, endpoint.disabled('merchant'));
    await off.leadsTo(webhookQueues, endpoint_id, { active: false, open: 1, busy: null, abandoned: null });
    const gone = working().happens(first, opened()).happens(`webhook_endpoint-${endpoint_id}`, endpoint.removed);
    await gone.leadsTo(webhookQueues, endpoint_id, { deleted: true, busy: null, abandoned: true });
  });

  it('forgets old failures when it is switched on again', async () => {
    const log = working().happens(first, opened(), failed);
    log.happens(`webhook_endpoint-${endpoint_id}`, endpoint.disabled('merchant'), endpoint.enabled);
    await log.leadsTo(webhookQueues, endpoint_id, { active: true, busy: true, failing_since: null });
  });
});

describe('a lane', () => {
  it('is due when its first is', async () => {
    const log = working().happens(first, opened(), failed).happens(second, next(opened()));
    await log.leadsTo(webhookLanes, lane, { waits_for: endpoint_id, due_at: LATER });
    expect(log.get(webhookLanes, lane)?.waiting.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('keeps the order of the events, whichever delivery was opened first', async () => {
    const log = working().happens(second, next(opened())).happens(first, opened());
    await log.leadsTo(webhookLanes, lane, { waits_for: endpoint_id });
    expect(log.get(webhookLanes, lane)?.waiting.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('continues with the next when the first is finished', async () => {
    const log = working().happens(first, opened()).happens(second, next(opened())).happens(first, attempted());
    await log.leadsTo(webhookLanes, lane, { due_at: at, waits_for: endpoint_id });
    expect(log.get(webhookLanes, lane)?.waiting.map(({ delivery_id }) => delivery_id)).toEqual(['whd_2']);
  });

  it('leaves the index when nothing waits', async () => {
    await working()
      .happens(first, opened(), attempted())
      .leadsTo(webhookLanes, lane, { waits_for: null, due_at: null, waiting: [] });
  });

  // Within a part, a store without transactions writes the collections in any order.
  it('is written in an earlier part than the queue that counts its changes', async () => {
    const { events } = working().happens(first, opened());
    const { writes, parts } = await planBatch([webhookQueuesProjection], events, async (refs) =>
      refs.map(() => undefined),
    );
    const partOf = (wanted: string): number => {
      const place = writes.findIndex(({ collection }) => collection.name === wanted);
      return parts.filter((begin) => begin <= place).length;
    };
    expect(partOf(webhookLanes.name)).toBeLessThan(partOf(webhookQueues.name));
  });
});
