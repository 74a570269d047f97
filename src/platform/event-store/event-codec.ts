import { type DomainEvent } from '../../kernel/decider';
import { newId } from '../../kernel/ids';
import { type Actor, type NewEvent, type RecordedEvent } from './event-store.port';

/** Who caused an event, in which call, and after which other event. */
export type CommandContext = Readonly<{ requestId: string; actor: Actor; causationId?: string }>;

/** Turns the data of one schema into that of the next while reading; what is stored is never touched. */
export type Upcast = (data: object) => object;

/** By type of event: the first turns schema 1 into 2, the second 2 into 3. A type that is not here has had one schema only. */
export const UPCASTS = new Map<string, readonly Upcast[]>();

const schemaOf = (type: string): number => 1 + (UPCASTS.get(type)?.length ?? 0);

export const encodeEvent = (event: DomainEvent, context: CommandContext, occurredAt: string): NewEvent => ({
  type: event.type,
  data: event.data,
  metadata: {
    event_id: newId('evt'),
    occurred_at: occurredAt,
    request_id: context.requestId,
    actor: context.actor,
    ...(context.causationId === undefined ? {} : { causation_id: context.causationId }),
    schema: schemaOf(event.type),
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

/** For the adapters, once for each event that they read: nobody else sees an old schema. Of today's schema nothing is copied. */
export function decodeEvent(recorded: RecordedEvent): RecordedEvent {
  const upcasts = UPCASTS.get(recorded.type)?.slice(recorded.metadata.schema - 1) ?? NONE;
  if (upcasts.length === 0) return recorded;
  const data = upcasts.reduce((older, upcast) => upcast(older), recorded.data);
  return { ...recorded, data, stored: recorded.data };
}

const NONE: readonly Upcast[] = [];
