import { type Attempt, type DeliveryFacts, type WebhookDeliveryCommand } from './webhook-delivery';
import { type WebhookDeliveryAttempted, type WebhookDeliveryEvent } from '../../events/webhook-delivery.events';
import { type RewindId } from '../../kernel/aggregates';

const own = {
  delivery_id: 'whd_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  endpoint_id: 'whe_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  merchant_id: 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  lane: 'whe_01JZZZZZZZZZZZZZZZZZZZZZZZ:pr_1',
} as const;
export const at = '2030-01-01T00:00:00.000Z';

export const scheduled: WebhookDeliveryEvent = {
  type: 'WebhookDeliveryScheduled',
  data: {
    ...own,
    event_id: 'evt_1',
    event_type: 'payment_request.created',
    subject_id: 'pr_1',
    sequence: 1,
    body: '{}',
    due_at: at,
    scheduled_at: at,
  },
};

export const facts: DeliveryFacts = {
  ...own,
  event_id: 'evt_1',
  event_type: 'payment_request.created',
  subject_id: 'pr_1',
  sequence: 1,
  cursor: 7,
};
export const opened = (attempts = 0): WebhookDeliveryEvent => ({
  type: 'WebhookDeliveryOpened',
  data: { ...facts, attempts, due_at: at, opened_at: at },
});

export const sent: Attempt = {
  sentAt: at,
  endedAt: at,
  statusCode: 204,
  durationMs: 3,
  errorKind: null,
  succeeded: true,
  retryAfterSeconds: null,
};
export const refused: Attempt = { ...sent, statusCode: 500, errorKind: 'bad_status', succeeded: false };

export const record = (attempt: Attempt, number = 1): WebhookDeliveryCommand => ({
  kind: 'record-attempt',
  number,
  attempt,
});
export const openFailed = (rewindId: RewindId | null = null, attempts = 0): WebhookDeliveryCommand => ({
  kind: 'open-failed',
  facts,
  attempts,
  attempt: refused,
  rewindId,
});
export const openWaiting = (rewindId: RewindId | null = null): WebhookDeliveryCommand => ({
  kind: 'open-waiting',
  facts,
  attempts: 0,
  rewindId,
  at,
});
export const redeliver = {
  kind: 'redeliver',
  merchantId: own.merchant_id,
  requeueId: 'req_1',
  at,
} as const satisfies WebhookDeliveryCommand;
export const recover = { kind: 'recover', requeueId: 'req_2', at } as const satisfies WebhookDeliveryCommand;
export const cancel = { kind: 'cancel', at } as const satisfies WebhookDeliveryCommand;

export const attempted = (changes: Partial<WebhookDeliveryAttempted['data']> = {}): WebhookDeliveryEvent => ({
  type: 'WebhookDeliveryAttempted',
  data: {
    ...own,
    number: 1,
    kind: 'initial',
    sent_at: at,
    status_code: 204,
    duration_ms: 3,
    error_kind: null,
    outcome: 'succeeded',
    next_due_at: null,
    ...changes,
  },
});
export const requeued = (
  kind: 'manual' | 'recovery' | 'rewind',
  requeue_id: string,
  reopened = true,
): WebhookDeliveryEvent => ({
  type: 'WebhookDeliveryRequeued',
  data: { ...own, sequence: 1, kind, requeue_id, reopened, due_at: at, requeued_at: at },
});
export const cancelled: WebhookDeliveryEvent = { type: 'WebhookDeliveryCancelled', data: { ...own, cancelled_at: at } };
