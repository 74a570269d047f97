import { type Category } from '../../kernel/aggregates';
import { type Decider, type DomainEvent } from '../../kernel/decider';

/**
 * Begins the stream of a thing that another capability looks after: the event is appended if there is no stream yet.
 * That is what an effect that spans streams comes down to, and why running it twice does no harm.
 */
export const firstEvent = <Event extends DomainEvent>(category: Category): Decider<boolean, Event, Event> => ({
  category,
  initial: false,
  decide: (event, begun) => (begun ? [] : [event]),
  evolve: () => true,
});
