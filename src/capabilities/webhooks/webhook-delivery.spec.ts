import { given } from '../../../test/support/given';
import { RETRY_AFTER_SECONDS } from './delivery-schedule';
import { webhookDelivery, type WebhookDeliveryState } from './webhook-delivery';
import { type WebhookDeliveryAttempted, type WebhookDeliveryEvent } from '../../events/webhook-delivery.events';
import {
  at,
  attempted,
  cancel,
  cancelled,
  facts,
  opened,
  openFailed,
  openWaiting,
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

  it('is sent again on demand, whatever its outcome', () => {
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
    // Also if another recovery came in between: this one may be read again long after it was done.
    const failedAs = (number: number) => ({ ...failed, data: { ...failed.data, number } }) as never;
    past(scheduled, failed, requeued('recovery', 'req_2'), failedAs(2), requeued('recovery', 'req_3'), failedAs(3))
      .when(recover)
      .thenNothing();
  });
  it('is cancelled while it waits', () => {
    past(scheduled).when(cancel).then(cancelled);
    past(scheduled, attempted()).when(cancel).thenNothing();
  });

  describe('that had no stream', () => {
    const types = (events: readonly WebhookDeliveryEvent[]) => events.map(({ type }) => type);
    const retried = { number: 1, kind: 'initial', outcome: 'retry', status_code: 500 };

    it('gets one when its first attempt fails, and is tried again on the usual schedule', () => {
      const [first, attempt] = webhookDelivery.decide(openFailed(), null);
      expect(first).toEqual(opened());
      expect(attempt?.data).toMatchObject(retried);
      expect(failUntilTheEnd(fold([opened()]))).toHaveLength(10);
    });
    it.each([null, 'rwd_1'] as const)(
      'has one failure counted once, although the store’s answer was lost: %s',
      (rewind) => {
        for (const before of [null, fold([opened()]), fold([scheduled, attempted()])]) {
          const happened = webhookDelivery.decide(openFailed(rewind), before);
          const after = happened.reduce(webhookDelivery.evolve, before);
          expect(webhookDelivery.decide(openFailed(rewind), after)).toEqual([]);
        }
      },
    );
    it('gets one when it must wait for another, once', () => {
      past().when(openWaiting()).then(opened());
      past(opened()).when(openWaiting()).thenNothing();
      past(scheduled).when(openWaiting()).thenNothing();
    });
    it('counts a failure as one more attempt when it got one meanwhile', () => {
      expect(types(webhookDelivery.decide(openFailed(), fold([opened()])))).toEqual(['WebhookDeliveryAttempted']);
      past(opened(), attempted()).when(openFailed()).thenNothing();
      past(opened(), cancelled).when(openFailed('rwd_1')).thenNothing();
    });
    it('is sent again on demand, and its attempts go on counting', () => {
      const unopened = { facts, attempts: 1 };
      past()
        .when({ ...redeliver, unopened })
        .then(opened(1), requeued('manual', 'req_1', false));
      past().when(redeliver).thenRefused('resource_not_found');
      past()
        .when({ ...redeliver, merchantId: 'mer_other', unopened })
        .thenRefused('resource_not_found');
      const [attempt] = webhookDelivery.decide(record(sent, 2), fold([opened(1), requeued('manual', 'req_1', false)]));
      expect(attempt?.data).toMatchObject({ number: 2, kind: 'manual' });
    });
    it('begins a new round when a rewind could not deliver it, or not yet', () => {
      const again = webhookDelivery.decide(openFailed('rwd_1', 1), null);
      expect(again.slice(0, 2)).toEqual([opened(1), requeued('rewind', 'rwd_1', false)]);
      expect(again[2]?.data).toMatchObject({ number: 2, kind: 'rewind', outcome: 'retry' });
      past(scheduled, attempted()).when(openWaiting('rwd_1')).then(requeued('rewind', 'rwd_1'));
      past(opened()).when(openWaiting('rwd_1')).thenNothing();
    });
    it('begins no second round for a rewind that starts over, and ended meanwhile', () => {
      const failing = attempted({
        status_code: 500,
        outcome: 'retry',
        next_due_at: at,
        sent_at: '2029-01-01T00:00:00.000Z',
      });
      const delivered = attempted({ number: 2, sent_at: '2029-02-01T00:00:00.000Z' });
      const ended = [opened(), requeued('rewind', 'rwd_1', false), failing, delivered];
      past(...ended)
        .when(openFailed('rwd_1'))
        .thenNothing();
      past(...ended)
        .when(openWaiting('rwd_1'))
        .thenNothing();
      past(...ended)
        .when(openWaiting('rwd_2'))
        .then(requeued('rewind', 'rwd_2'));
    });
  });

  it('is recovered when it waits for its next attempt', () => {
    const later = '2030-01-01T01:00:00.000Z';
    const waiting = attempted({ status_code: 500, error_kind: 'bad_status', outcome: 'retry', next_due_at: later });
    past(opened(), waiting)
      .when(recover)
      .then(requeued('recovery', 'req_2', false));
    past(opened()).when(recover).thenNothing();
    past(opened(), waiting, cancelled).when(recover).thenNothing();
  });
});
