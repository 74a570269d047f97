import { type AssertionEvent } from '../events/assertion.events';
import { type Fold } from '../kernel/decider';

/** The assertion that an agent token was issued for. */
export const assertionInUse: Fold<AssertionEvent['data'] | undefined, AssertionEvent> = {
  category: 'assertion',
  initial: undefined,
  evolve: (_before, { data }) => data,
};
