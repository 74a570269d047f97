import { type DomainEvent } from '../kernel/decider';
import { newId } from '../kernel/ids';
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

export function decodeEvent<Event extends DomainEvent>(recorded: RecordedEvent): Event {
  const upcast = upcasts[`${recorded.type}@${recorded.metadata.schema}`];
  return { type: recorded.type, data: upcast ? upcast(recorded.data) : recorded.data } as unknown as Event;
}
