import { type Category } from './aggregates';

/** What is stored: a name and facts. Names and shapes never change; see any *.events.ts. */
export type DomainEvent = Readonly<{ type: string; data: object }>;

/** The state of a stream for one kind of reader: a capability may fold another's events into just what it needs. */
export type Fold<State, Event extends DomainEvent> = Readonly<{
  /** The category of contract section 12: a stream is named `<category>-<id>`. */
  category: Category;
  initial: State;
  /** How many of these folds to keep in memory: fewer than usual if they may be large, or are seldom needed again. */
  kept?: number;
  evolve(state: State, event: Event): State;
}>;

/**
 * One kind of thing with a stream of its own. Pure: time, ids and outside facts arrive in the command. A repeated
 * command decides nothing; one that does not fit is refused by throwing a Refusal.
 */
export type Decider<State, Command, Event extends DomainEvent> = Fold<State, Event> &
  Readonly<{ decide(command: Command, state: State): readonly Event[] }>;

/** For things created constantly and finished within minutes: a later reader only has a short stream to read. */
export const SHORT_LIVED_KEPT = 4_000;
