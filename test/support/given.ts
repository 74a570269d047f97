import { type Decider, type DomainEvent } from '../../src/kernel/decider';
import { type ErrorCode } from '../../src/kernel/error-catalogue';
import { Refusal } from '../../src/kernel/errors';

/** `given(decider)(…past).when(command).then(…events)`: the DSL of decider specs. */
export const given =
  <State, Command, Event extends DomainEvent>(decider: Decider<State, Command, Event>) =>
  (...past: readonly Event[]) => {
    const fold = (events: readonly Event[]): State => events.reduce(decider.evolve, decider.initial);
    return {
      when: (command: Command) => ({
        /** Also checks a rule of every decider: repeating the command adds nothing. */
        then: (...expected: readonly Event[]): void => {
          const events = decider.decide(command, fold(past));
          expect(events).toEqual(expected);
          expect(decider.decide(command, fold([...past, ...events]))).toEqual([]);
        },
        thenNothing: (): void => {
          expect(decider.decide(command, fold(past))).toEqual([]);
        },
        thenRefused: (code: ErrorCode, details?: Readonly<Record<string, unknown>>): void => {
          let refusal: unknown;
          try {
            decider.decide(command, fold(past));
          } catch (error) {
            refusal = error;
          }
          expect(refusal).toBeInstanceOf(Refusal);
          expect((refusal as Refusal).code).toBe(code);
          if (details !== undefined) expect((refusal as Refusal).details).toMatchObject(details);
        },
      }),
    };
  };
