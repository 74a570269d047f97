import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { nextAttemptAt } from './delivery-schedule';
import {
  type AttemptKind,
  type WebhookDeliveryEvent,
  type WebhookDeliveryOpened,
  type WebhookDeliveryRequeued,
} from '../../events/webhook-delivery.events';
import { type MerchantId, type RewindId } from '../../kernel/aggregates';

/** The result of one attempt. */
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

/** What is known about a delivery before it has a stream: it derives from the endpoint and the feed entry. */
export type DeliveryFacts = Omit<WebhookDeliveryOpened['data'], 'attempts' | 'due_at' | 'opened_at'>;

type RecordAttempt = Readonly<{ kind: 'record-attempt'; number: number; attempt: Attempt }>;
/** The one attempt it had, outside of any schedule, failed. */
type OpenFailed = Readonly<{
  kind: 'open-failed';
  facts: DeliveryFacts;
  /** Attempts recorded before it had a stream. */
  attempts: number;
  attempt: Attempt;
  rewindId: RewindId | null;
}>;
/** Another delivery in its lane must be sent first. */
type OpenWaiting = Readonly<{
  kind: 'open-waiting';
  facts: DeliveryFacts;
  attempts: number;
  rewindId: RewindId | null;
  at: string;
}>;
type Redeliver = Readonly<{
  kind: 'redeliver';
  merchantId: MerchantId;
  requeueId: string;
  at: string;
  /** For a delivery without a stream; its `attempts` so far are recorded in the endpoint's outcomes. */
  unopened?: Readonly<{ facts: DeliveryFacts; attempts: number }>;
}>;
type Recover = Readonly<{ kind: 'recover'; requeueId: string; at: string }>;
type Cancel = Readonly<{ kind: 'cancel'; at: string }>;

export type WebhookDeliveryCommand = RecordAttempt | OpenFailed | OpenWaiting | Redeliver | Recover | Cancel;

type Scheduled = DeliveryFacts &
  Readonly<{
    /** The body to send, if the log holds it; since deliveries are derived, it is built from the event instead. */
    body: string | null;
  }>;

export type KnownDelivery = Readonly<{
  scheduled: Omit<Scheduled, 'cursor'> & Readonly<{ cursor: number | null }>;
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  dueAt: string;
  attempts: number;
  /** Since it was scheduled or last requeued: its place in the retry schedule. */
  attemptsThisRound: number;
  /** The kind of this round's first attempt. */
  roundKind: Exclude<AttemptKind, 'automatic'>;
  requeueIds: readonly string[];
  /** When the last recorded attempt was sent. */
  lastSentAt: string | null;
}>;
export type WebhookDeliveryState = KnownDelivery | null;

/** One event on its way to one endpoint. Every attempt sends the same bytes under the same id. */
export const webhookDelivery: Decider<WebhookDeliveryState, WebhookDeliveryCommand, WebhookDeliveryEvent> = {
  category: 'webhook_delivery',
  initial: null,
  // Old ones hold the body they send, and a completed delivery is seldom needed again.
  kept: 400,

  decide(command, state) {
    switch (command.kind) {
      case 'open-failed':
        return openFailed(command, state);
      case 'open-waiting':
        return open(command, command.at, state);
      case 'redeliver':
        return redeliver(command, state);
      case 'record-attempt':
        return recordAttempt(command, known(state));
      case 'recover':
        return recover(command, known(state));
      case 'cancel':
        if (known(state).status !== 'pending') return [];
        return [{ type: 'WebhookDeliveryCancelled', data: { ...ownOf(known(state)), cancelled_at: command.at } }];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    const fresh = { status: 'pending', attemptsThisRound: 0, requeueIds: [], lastSentAt: null } as const;
    switch (event.type) {
      case 'WebhookDeliveryScheduled': {
        const { due_at: dueAt, scheduled_at: _, ...scheduled } = event.data;
        return { scheduled: { ...scheduled, cursor: null }, dueAt, attempts: 0, roundKind: 'initial', ...fresh };
      }
      case 'WebhookDeliveryOpened': {
        const { due_at: dueAt, opened_at: _, attempts, ...scheduled } = event.data;
        return { scheduled: { ...scheduled, body: null }, dueAt, attempts, roundKind: 'initial', ...fresh };
      }
      case 'WebhookDeliveryAttempted': {
        const { outcome, next_due_at, number, sent_at: lastSentAt } = event.data;
        const before = evolved(state, event);
        const status = outcome === 'retry' ? 'pending' : outcome;
        const [dueAt, attemptsThisRound] = [next_due_at ?? before.dueAt, before.attemptsThisRound + 1];
        return { ...before, status, dueAt, attempts: number, attemptsThisRound, lastSentAt };
      }
      case 'WebhookDeliveryRequeued': {
        const before = evolved(state, event);
        const { due_at: dueAt, requeue_id, kind } = event.data;
        const requeueIds = [...before.requeueIds, requeue_id];
        const roundKind = kind === 'rewind' ? 'rewind' : 'manual';
        return { ...before, status: 'pending', dueAt, attemptsThisRound: 0, roundKind, requeueIds };
      }
      case 'WebhookDeliveryCancelled':
        return { ...evolved(state, event), status: 'cancelled' };
      default:
        return assertNever(event);
    }
  },
};

function known(state: WebhookDeliveryState): KnownDelivery {
  if (state === null) throw refuse('resource_not_found');
  return state;
}

function evolved(state: WebhookDeliveryState, { type }: WebhookDeliveryEvent): KnownDelivery {
  if (state === null) throw new Error(`${type} before the delivery was scheduled`);
  return state;
}

/** Opens a stream for a delivery that has none, and a new round for one that a rewind sends again. */
function open(
  { facts, attempts, rewindId }: Pick<OpenWaiting, 'facts' | 'attempts' | 'rewindId'>,
  at: string,
  state: WebhookDeliveryState,
): readonly WebhookDeliveryEvent[] {
  const first = state === null ? [opened(facts, attempts, at)] : [];
  const begun = first.reduce(webhookDelivery.evolve, state);
  const isWaiting = state !== null && (state.status === 'pending' || state.status === 'cancelled');
  if (rewindId === null || begun === null || isWaiting) return first;
  // A rewind starts over after a crash; what it has sent and seen to its end would be counted a second time.
  if (begun.requeueIds.includes(rewindId)) return first;
  return [...first, requeued({ requeueId: rewindId, at }, 'rewind', begun)];
}

/** It may have got a stream while it was sent; then this is another attempt, or the first of a new round. */
function openFailed(command: OpenFailed, state: WebhookDeliveryState): readonly WebhookDeliveryEvent[] {
  const { attempt } = command;
  // It is already recorded; only the store's response was lost.
  if (state?.lastSentAt === attempt.sentAt) return [];
  const happened = open(command, attempt.sentAt, state);
  const begun = known(happened.reduce(webhookDelivery.evolve, state));
  return [...happened, ...recordAttempt({ kind: 'record-attempt', number: begun.attempts + 1, attempt }, begun)];
}

function redeliver(
  { merchantId, requeueId, at, unopened }: Redeliver,
  state: WebhookDeliveryState,
): readonly WebhookDeliveryEvent[] {
  const first = state === null && unopened ? [opened(unopened.facts, unopened.attempts, at)] : [];
  const open = known(first[0] === undefined ? state : webhookDelivery.evolve(state, first[0]));
  if (open.scheduled.merchant_id !== merchantId) throw refuse('resource_not_found');
  if (open.requeueIds.includes(requeueId)) return [];
  if (open.status === 'cancelled') {
    throw refuse('invalid_status_transition', { details: { current_status: open.status } });
  }
  return [...first, requeued({ requeueId, at }, 'manual', open)];
}

/** A failed delivery starts over; one that waits for its next attempt becomes due at once. */
function recover({ requeueId, at }: Recover, state: KnownDelivery): readonly WebhookDeliveryEvent[] {
  const isWanted = state.status === 'failed' || (state.status === 'pending' && state.dueAt > at);
  return isWanted && !state.requeueIds.includes(requeueId) ? [requeued({ requeueId, at }, 'recovery', state)] : [];
}

/** Each attempt is recorded once, by number; if two processes sent it concurrently, the later record is ignored. */
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

const opened = (facts: DeliveryFacts, attempts: number, at: string): WebhookDeliveryEvent => ({
  type: 'WebhookDeliveryOpened',
  data: { ...facts, attempts, due_at: at, opened_at: at },
});

const requeued = (
  { requeueId: requeue_id, at }: Readonly<{ requeueId: string; at: string }>,
  kind: WebhookDeliveryRequeued['data']['kind'],
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
