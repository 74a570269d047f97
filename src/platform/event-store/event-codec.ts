import { type DomainEvent } from '../../kernel/decider';
import { newId } from '../../kernel/ids';
import { type Actor, type NewEvent, type RecordedEvent } from './event-store.port';

/** Who caused an event, in which call, and after which other event. */
export type CommandContext = Readonly<{ requestId: string; actor: Actor; causationId?: string }>;

/** Turns an old shape into today's while reading; what is stored is never touched. Keyed by `type` and stored schema. */
type Upcast = (data: object) => object;
const upcasts: Readonly<Record<string, Upcast>> = {};

const SCHEMA = 1;

export const encodeEvent = (event: DomainEvent, context: CommandContext, occurredAt: string): NewEvent => ({
  type: event.type,
  data: event.data,
  metadata: {
    event_id: newId('evt'),
    occurred_at: occurredAt,
    request_id: context.requestId,
    actor: context.actor,
    ...(context.causationId === undefined ? {} : { causation_id: context.causationId }),
    schema: SCHEMA,
  },
});

/**
 * One append. What follows in it was caused by its first event, unless the whole of it has a cause elsewhere: an auditor
 * finds the way back from every event but those that somebody's call or the clock began.
 */
export function encodeEvents(
  events: readonly DomainEvent[],
  context: CommandContext,
  occurredAt: string,
): readonly NewEvent[] {
  let cause = context;
  return events.map((event, index) => {
    const encoded = encodeEvent(event, cause, occurredAt);
    if (index === 0 && events.length > 1)
      cause = { ...context, causationId: context.causationId ?? encoded.metadata.event_id };
    return encoded;
  });
}

/** For what is done because of that event. */
export const causedBy = (context: CommandContext, eventId: string | null): CommandContext =>
  eventId === null ? context : { ...context, causationId: eventId };

export function decodeEvent<Event extends DomainEvent>(recorded: RecordedEvent): Event {
  const upcast = upcasts[`${recorded.type}@${recorded.metadata.schema}`];
  return { type: recorded.type, data: upcast ? upcast(recorded.data) : recorded.data } as unknown as Event;
}
