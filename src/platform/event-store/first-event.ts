import { type Category } from '../../kernel/aggregates';
import { type Decider, type DomainEvent } from '../../kernel/decider';

/**
 * Begins a stream that another capability owns: appends the event if the stream does not exist yet. Every effect that
 * spans streams comes down to this, which is why running it twice does no harm.
 */
export const firstEvent = <Event extends DomainEvent>(category: Category): Decider<boolean, Event, Event> => ({
  category,
  initial: false,
  decide: (event, begun) => (begun ? [] : [event]),
  evolve: () => true,
});
