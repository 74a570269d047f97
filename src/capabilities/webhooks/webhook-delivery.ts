import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { nextAttemptAt } from './delivery-schedule';
import { type AttemptKind, type WebhookDeliveryEvent, type WebhookDeliveryScheduled } from './webhook-delivery.events';

/** What became of one sending. */
export type Attempt = Readonly<{
  sentAt: string;
  endedAt: string;
  statusCode: number | null;
  durationMs: number;
  errorKind: string | null;
  succeeded: boolean;
  /** How long the receiver asked us to wait. */
  retryAfterSeconds: number | null;
}>;

type RecordAttempt = Readonly<{ kind: 'record-attempt'; number: number; attempt: Attempt }>;
type Redeliver = Readonly<{ kind: 'redeliver'; merchantId: string; requeueId: string; at: string }>;
type Recover = Readonly<{ kind: 'recover'; requeueId: string; at: string }>;
type Cancel = Readonly<{ kind: 'cancel'; at: string }>;

export type WebhookDeliveryCommand = RecordAttempt | Redeliver | Recover | Cancel;

export type KnownDelivery = Readonly<{
  scheduled: WebhookDeliveryScheduled['data'];
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  dueAt: string;
  attempts: number;
  /** Since it was scheduled or last requeued: where it stands in its schedule. */
  attemptsThisRound: number;
  /** What the first attempt of this round counts as. */
  roundKind: Extract<AttemptKind, 'initial' | 'manual'>;
  requeueIds: readonly string[];
}>;
export type WebhookDeliveryState = KnownDelivery | null;

/** One event on its way to one endpoint. The body is fixed once; every attempt sends the same bytes under the same id. */
export const webhookDelivery: Decider<WebhookDeliveryState, WebhookDeliveryCommand, WebhookDeliveryEvent> = {
  category: 'webhook_delivery',
  initial: null,
  // Each holds the body it sends, and one that was made is seldom met again.
  kept: 400,

  decide(command, state) {
    if (state === null) throw refuse('resource_not_found');
    switch (command.kind) {
      case 'record-attempt':
        return recordAttempt(command, state);
      case 'redeliver':
        if (state.scheduled.merchant_id !== command.merchantId) throw refuse('resource_not_found');
        if (state.requeueIds.includes(command.requeueId)) return [];
        if (state.status === 'cancelled') {
          throw refuse('invalid_status_transition', { details: { current_status: state.status } });
        }
        return [requeued(command, 'manual', state)];
      case 'recover':
        return state.status === 'failed' && !state.requeueIds.includes(command.requeueId)
          ? [requeued(command, 'recovery', state)]
          : [];
      case 'cancel':
        if (state.status !== 'pending') return [];
        return [{ type: 'WebhookDeliveryCancelled', data: { ...ownOf(state), cancelled_at: command.at } }];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'WebhookDeliveryScheduled') {
      const { data: scheduled } = event;
      const fresh = { attempts: 0, attemptsThisRound: 0, roundKind: 'initial', requeueIds: [] } as const;
      return { scheduled, status: 'pending', dueAt: scheduled.due_at, ...fresh };
    }
    if (state === null) throw new Error(`${event.type} before the delivery was scheduled`);
    switch (event.type) {
      case 'WebhookDeliveryAttempted': {
        const { outcome, next_due_at, number } = event.data;
        const status = outcome === 'retry' ? 'pending' : outcome;
        const attemptsThisRound = state.attemptsThisRound + 1;
        return { ...state, status, dueAt: next_due_at ?? state.dueAt, attempts: number, attemptsThisRound };
      }
      case 'WebhookDeliveryRequeued': {
        const { due_at: dueAt, requeue_id } = event.data;
        const requeueIds = [...state.requeueIds, requeue_id];
        return { ...state, status: 'pending', dueAt, attemptsThisRound: 0, roundKind: 'manual', requeueIds };
      }
      case 'WebhookDeliveryCancelled':
        return { ...state, status: 'cancelled' };
      default:
        return assertNever(event);
    }
  },
};

/** It is recorded once, by its number; if two processes sent it at the same time, the later record changes nothing. */
function recordAttempt({ number, attempt }: RecordAttempt, state: KnownDelivery): readonly WebhookDeliveryEvent[] {
  if (number !== state.attempts + 1 || state.status !== 'pending') return [];
  const inRound = state.attemptsThisRound + 1;
  const next = attempt.succeeded
    ? null
    : nextAttemptAt(state.scheduled.delivery_id, inRound, new Date(attempt.endedAt), attempt.retryAfterSeconds);
  return [
    {
      type: 'WebhookDeliveryAttempted',
      data: {
        ...ownOf(state),
        number,
        kind: inRound === 1 ? state.roundKind : 'automatic',
        sent_at: attempt.sentAt,
        status_code: attempt.statusCode,
        duration_ms: attempt.durationMs,
        error_kind: attempt.errorKind,
        outcome: attempt.succeeded ? 'succeeded' : next === null ? 'failed' : 'retry',
        next_due_at: next?.toISOString() ?? null,
      },
    },
  ];
}

const requeued = (
  { requeueId: requeue_id, at }: Redeliver | Recover,
  kind: 'manual' | 'recovery',
  state: KnownDelivery,
): WebhookDeliveryEvent => ({
  type: 'WebhookDeliveryRequeued',
  data: {
    ...ownOf(state),
    sequence: state.scheduled.sequence,
    kind,
    requeue_id,
    reopened: state.status !== 'pending',
    due_at: at,
    requeued_at: at,
  },
});

const ownOf = ({ scheduled: { delivery_id, endpoint_id, merchant_id, lane } }: KnownDelivery) => ({
  delivery_id,
  endpoint_id,
  merchant_id,
  lane,
});
