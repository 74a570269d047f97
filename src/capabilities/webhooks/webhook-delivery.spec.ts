import { given } from '../../../test/support/given';
import { RETRY_AFTER_SECONDS } from './delivery-schedule';
import { webhookDelivery, type WebhookDeliveryState } from './webhook-delivery';
import { type WebhookDeliveryAttempted, type WebhookDeliveryEvent } from './webhook-delivery.events';
import {
  at,
  attempted,
  cancel,
  cancelled,
  record,
  recover,
  redeliver,
  refused,
  requeued,
  scheduled,
  sent,
} from './webhook-delivery.fixtures';

const past = given(webhookDelivery);
const failed = attempted({ status_code: 500, error_kind: 'bad_status', outcome: 'failed' });
const fold = (events: readonly WebhookDeliveryEvent[]) =>
  events.reduce(webhookDelivery.evolve, webhookDelivery.initial);

/** Fails it until it gives up, always at the moment it is due. */
function failUntilTheEnd(from: WebhookDeliveryState): WebhookDeliveryAttempted['data'][] {
  const attempts: WebhookDeliveryAttempted['data'][] = [];
  let state = from;
  while (state?.status === 'pending') {
    const attempt = { ...refused, sentAt: state.dueAt, endedAt: state.dueAt };
    const events = webhookDelivery.decide(record(attempt, state.attempts + 1), state);
    state = events.reduce<WebhookDeliveryState>(webhookDelivery.evolve, state);
    attempts.push(...events.map(({ data }) => data as WebhookDeliveryAttempted['data']));
  }
  return attempts;
}

describe('a webhook delivery', () => {
  it('succeeds', () => past(scheduled).when(record(sent)).then(attempted()));
  it('is recorded once for each attempt', () => {
    past(scheduled).when(record(sent, 2)).thenNothing();
    past(scheduled, attempted()).when(record(sent, 2)).thenNothing();
  });

  it('is tried ten times, further and further apart, each time within a fifth of the schedule', () => {
    const attempts = failUntilTheEnd(fold([scheduled]));
    expect(attempts.map(({ outcome }) => outcome)).toEqual([...Array<string>(9).fill('retry'), 'failed']);
    expect(attempts.map(({ kind }) => kind)).toEqual(['initial', ...Array<string>(9).fill('automatic')]);
    attempts.slice(0, -1).forEach(({ sent_at, next_due_at }, index) => {
      const waited = (Date.parse(next_due_at ?? '') - Date.parse(sent_at)) / 1000;
      const planned = RETRY_AFTER_SECONDS[index] ?? 0;
      expect(waited).toBeGreaterThanOrEqual(planned * 0.8 - 0.001);
      expect(waited).toBeLessThanOrEqual(planned * 1.2 + 0.001);
    });
  });
  it('begins anew when it is requeued', () => {
    const attempts = failUntilTheEnd(fold([scheduled, failed, requeued('manual', 'req_1')]));
    expect(attempts).toHaveLength(10);
    expect(attempts[0]).toMatchObject({ number: 2, kind: 'manual' });
  });
  it('waits as long as the receiver asks, up to a day, and never shorter than planned', () => {
    const waits = (seconds: number): number => {
      const [event] = webhookDelivery.decide(record({ ...refused, retryAfterSeconds: seconds }), fold([scheduled]));
      const { next_due_at } = event?.data as WebhookDeliveryAttempted['data'];
      return (Date.parse(next_due_at ?? '') - Date.parse(at)) / 1000;
    };
    expect(waits(0)).toBeGreaterThanOrEqual(4);
    expect(waits(120)).toBe(120);
    expect(waits(10_000_000)).toBe(24 * 3600);
  });

  it('is sent again on demand, whatever became of it', () => {
    past(scheduled, attempted()).when(redeliver).then(requeued('manual', 'req_1'));
    past(scheduled)
      .when(redeliver)
      .then(requeued('manual', 'req_1', false));
    past(scheduled, cancelled)
      .when(redeliver)
      .thenRefused('invalid_status_transition', { current_status: 'cancelled' });
  });
  it('is unknown to another merchant', () =>
    past(scheduled)
      .when({ ...redeliver, merchantId: 'mer_other' })
      .thenRefused('resource_not_found'));
  it('is recovered once, and only if it failed', () => {
    past(scheduled, failed).when(recover).then(requeued('recovery', 'req_2'));
    past(scheduled, failed, requeued('recovery', 'req_2'), { ...failed, data: { ...failed.data, number: 2 } } as never)
      .when(recover)
      .thenNothing();
    past(scheduled, attempted()).when(recover).thenNothing();
  });
  it('is cancelled while it waits', () => {
    past(scheduled).when(cancel).then(cancelled);
    past(scheduled, attempted()).when(cancel).thenNothing();
  });
});
