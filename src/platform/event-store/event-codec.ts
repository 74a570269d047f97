import { type DomainEvent } from '../../kernel/decider';
import { newId } from '../../kernel/ids';
import { type Actor, type NewEvent, type RecordedEvent } from './event-store.port';

/** Who caused an event, in which call, and after which other event. */
export type CommandContext = Readonly<{ requestId: string; actor: Actor; causationId?: string }>;

/** Converts data of one schema to the next while reading; stored events are never modified. */
export type Upcast = (data: object) => object;

/** By event type: the first converts schema 1 to 2, the second 2 to 3. A type not listed has had only one schema. */
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
 * One append. Its later events were caused by its first, unless the whole append has a cause elsewhere: an auditor can
 * trace every event back to the caller's command or the timer that began it.
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

/** The context for work that is done because of that event. */
export const causedBy = (context: CommandContext, eventId: string | null): CommandContext =>
  eventId === null ? context : { ...context, causationId: eventId };

/** For the adapters, once per event read: no other code sees an old schema. Events of today's schema are not copied. */
export function decodeEvent(recorded: RecordedEvent): RecordedEvent {
  const upcasts = UPCASTS.get(recorded.type)?.slice(recorded.metadata.schema - 1) ?? NONE;
  if (upcasts.length === 0) return recorded;
  const data = upcasts.reduce((older, upcast) => upcast(older), recorded.data);
  return { ...recorded, data, stored: recorded.data };
}

const NONE: readonly Upcast[] = [];
