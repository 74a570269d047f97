import { type AssertionEvent } from '../events/assertion.events';
import { type Fold } from '../kernel/decider';

/** What an agent's token was bought with. */
export const boughtWith: Fold<AssertionEvent['data'] | undefined, AssertionEvent> = {
  category: 'assertion',
  initial: undefined,
  evolve: (_before, { data }) => data,
};
