import { Inject, Injectable } from '../../platform/injection';
import { EVENT_STORE, type EventStore, LOG_START, type Position } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamName } from '../../platform/event-store/stream-name';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { context, DeliveryAttempts } from './delivery-attempts';
import { type WalkItem } from './feed-walk';
import { Recording } from './recording';
import { type Attempt } from './webhook-delivery';
import { webhookOutcomes, type WebhookOutcomesCommand } from './webhook-outcomes';
import { type DeliveryOutcome } from '../../events/webhook-outcomes.events';
import { type DeliveryId, type EndpointId, type MerchantId, type RewindId } from '../../kernel/aggregates';

const PAGE_SIZE = 100;

/** A message that the receiver accepted. */
export type Taken = Readonly<{ item: WalkItem; attempt: Attempt }>;

type EndpointProgress = Readonly<{
  endpointId: EndpointId;
  merchantId: MerchantId;
  reached: number;
  rewindId: RewindId | null;
}>;

/** Records successes, many at once, in the endpoint's stream of outcomes. */
@Injectable()
export class OutcomeLog {
  constructor(
    private readonly commands: CommandRunner,
    private readonly attempts: DeliveryAttempts,
    private readonly recording: Recording,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The current end of the log. */
  end(): Promise<Position> {
    return this.store.head();
  }

  /** The position of the newest outcome, given the version the caller has read. Appends then continue from there. */
  async newest(endpointId: EndpointId, version: number): Promise<Position> {
    let known = version;
    let position = LOG_START;
    for (;;) {
      const page = await this.store.readStream(streamName(webhookOutcomes.category, endpointId), known, PAGE_SIZE);
      const last = page.at(-1);
      if (last !== undefined) ({ version: known, position } = last);
      if (page.length < PAGE_SIZE) break;
    }
    this.commands.seedFold(webhookOutcomes, endpointId, { state: null, version: known });
    return position;
  }

  /** True once they are in the log. */
  async record(place: EndpointProgress, taken: readonly Taken[], signal: AbortSignal): Promise<boolean> {
    const outcomes = taken.map(outcomeOf);
    // Without outcomes, the record may be given up: the caller records its progress again later.
    const onStuck = taken.length > 0 ? () => undefined : undefined;
    const done = await this.append({ kind: 'record', ...place, outcomes, at: this.now() }, signal, onStuck);
    if (done && taken.length > 0) this.attempts.count('succeeded', taken.length);
    return done;
  }

  cancel(
    place: Omit<EndpointProgress, 'rewindId'>,
    deliveryIds: readonly DeliveryId[],
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.append({ kind: 'cancel', ...place, deliveryIds, at: this.now() }, signal);
  }

  private async append(command: WebhookOutcomesCommand, signal: AbortSignal, onStuck?: () => void): Promise<boolean> {
    const { endpointId } = command;
    const write = () => this.commands.run(webhookOutcomes, endpointId, command, context(), { untilReadable: false });
    return (await this.recording.retryUntilRecorded(endpointId, write, signal, onStuck)) !== undefined;
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}

const outcomeOf = ({ item: { facts }, attempt }: Taken): DeliveryOutcome => ({
  delivery_id: facts.delivery_id,
  event_id: facts.event_id,
  event_type: facts.event_type,
  subject_id: facts.subject_id,
  sequence: facts.sequence,
  cursor: facts.cursor,
  sent_at: attempt.sentAt,
  status_code: attempt.statusCode ?? 0,
  duration_ms: attempt.durationMs,
});
