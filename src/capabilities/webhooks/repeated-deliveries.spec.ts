import { type WebhookQueueDocument } from '../../../projections/webhook-queues.projection';
import { type DeliveryParts, type Own } from './delivery-parts';
import { RepeatedDeliveries } from './repeated-deliveries';

const own = { endpointId: 'whe_1', merchantId: 'mer_1', signal: new AbortController().signal } as unknown as Own;
const failing = {
  ...{ id: 'whe_1', merchant_id: 'mer_1', active: true, busy: null },
  ...{ failing_since: '2026-01-01T00:00:00.000Z', last_failed_at: '2026-01-06T00:00:00.000Z' },
} as unknown as WebhookQueueDocument;

/** Reads one endpoint's queue, which shows `later` once the read model has reached the endpoint's newest event. */
async function disabledBy(later: WebhookQueueDocument): Promise<readonly unknown[]> {
  const disable = jest.fn().mockResolvedValue(undefined);
  let shown = failing;
  const passed = async (position: bigint): Promise<void> => void (position === 9n && (shown = later));
  const parts = {
    attempts: { disable },
    clock: { now: () => new Date('2026-01-06T00:00:00.000Z') },
    commands: { fold: async () => ({ state: { merchantId: 'mer_1', url: 'https://new.example/' }, position: 9n }) },
    model: { get: async () => shown },
    projector: { progress: { position: 1n, passed } },
  } as unknown as DeliveryParts;
  await new RepeatedDeliveries(own, parts).read();
  return disable.mock.calls.map(([endpointId, { url }, reason]) => [endpointId, url, reason]);
}

describe('an endpoint that failed for five days', () => {
  it('is disabled for the URL that failed', async () => {
    expect(await disabledBy(failing)).toEqual([['whe_1', 'https://new.example/', 'failing']]);
  });

  it('is left alone if its URL has changed since, even if the read model does not show that yet', async () => {
    expect(await disabledBy({ ...failing, failing_since: null, last_failed_at: null })).toEqual([]);
  });

  it.each([
    ['a moment before that', { last_failed_at: '2026-01-05T23:59:59.999Z' }],
    ['when it is off already', { active: false }],
    ['when nothing has failed since', { last_failed_at: null }],
  ])('is left alone %s', async (_, changes) => {
    expect(await disabledBy({ ...failing, ...changes })).toEqual([]);
  });
});
