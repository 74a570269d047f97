import { type Category } from './aggregates';

/** What is stored: a name and facts. The names and shapes are for ever; see any *.events.ts. */
export type DomainEvent = Readonly<{ type: string; data: object }>;

/** What a stream comes to for one kind of reader: a capability may fold another's events into just what it needs. */
export type Fold<State, Event extends DomainEvent> = Readonly<{
  /** The category of contract section 12: a thing's stream is `<category>-<id>`. */
  category: Category;
  initial: State;
  /** How many of these folds are worth keeping in memory: fewer than usual where one may be large, or is seldom asked for again. */
  kept?: number;
  evolve(state: State, event: Event): State;
}>;

/**
 * One kind of thing with a stream of its own. Pure: time, ids and outside facts arrive in the command.
 * The same command again decides nothing; one that does not fit is refused by throwing a Refusal.
 */
export type Decider<State, Command, Event extends DomainEvent> = Fold<State, Event> &
  Readonly<{ decide(command: Command, state: State): readonly Event[] }>;

/** Of what is made again and again and done with within minutes: whoever comes later reads a short stream. */
export const SHORT_LIVED_KEPT = 4_000;
