import fc from 'fast-check';
import { anyCharacter } from '../../support/any-character';
import {
  type AppendResult,
  type NewEvent,
  type RecordedEvent,
} from '../../../src/platform/event-store/event-store.port';
import { aNewEvent, aStream } from '../../support/events';
import { type Opened } from '../event-store.contract';
import { endOfLog, expectStrictlyIncreasing, idsOf, readOwn } from './steps';

const STREAMS = 3;

type Attempt = Readonly<{ stream: number; offset: number; contents: readonly unknown[] }>;
type Done = Readonly<{ stream: string; expected: number; batch: readonly NewEvent[]; result: AppendResult }>;

const attempt: fc.Arbitrary<Attempt> = fc.record({
  stream: fc.nat(STREAMS - 1),
  // Usually the stream's current version, sometimes an earlier or later one.
  offset: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) }),
  contents: fc.array(fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 3 }), { minLength: 1, maxLength: 3 }),
});
/** The attempts of each inner list run concurrently. */
const rounds = fc.array(fc.array(attempt, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 });

/** Adds the winners of concurrent attempts to the model, in the order of their positions. */
function settle(model: NewEvent[], attempts: readonly Done[]): void {
  const before = model.length;
  const winners = attempts
    .flatMap((done) => (done.result.kind === 'appended' ? [{ ...done, result: done.result }] : []))
    .sort((a, b) => (a.result.position < b.result.position ? -1 : 1));
  for (const winner of winners) {
    expect(winner.expected).toBe(model.length);
    model.push(...winner.batch);
    expect(winner.result.version).toBe(model.length);
  }
  if (attempts.some((done) => done.expected === before)) expect(winners).not.toHaveLength(0);
}

const comparable = (event: NewEvent | RecordedEvent): string =>
  JSON.stringify([event.type, event.data, event.metadata.event_id]);

export function interleaving(opened: Opened, runs: number): void {
  describe('any interleaving of appends', () => {
    it('leads to the state that a simple model predicts', async () => {
      await fc.assert(
        fc.asyncProperty(rounds, async (plan) => {
          const { store } = opened;
          const start = await endOfLog(store);
          const models = new Map(Array.from({ length: STREAMS }, () => [aStream(), [] as NewEvent[]]));
          const streams = [...models.keys()];

          for (const round of plan) {
            const perform = async ({ stream: index, offset, contents }: Attempt): Promise<Done> => {
              const stream = streams[index] ?? '';
              const expected = Math.max(0, (models.get(stream)?.length ?? 0) + offset);
              const batch = contents.map((value) => aNewEvent('Interleaved', { value }));
              return { stream, expected, batch, result: await store.append(stream, expected, batch) };
            };
            const done = await Promise.all(round.map(perform));
            for (const [stream, model] of models) {
              const own = done.filter((one) => one.stream === stream);
              settle(model, own);
            }
            const winner = done.find((one) => one.result.kind === 'appended');
            if (winner) {
              await expect(store.append(winner.stream, winner.expected, winner.batch)).resolves.toEqual(winner.result);
            }
          }

          const log = await readOwn(store, start, streams, 4);
          expectStrictlyIncreasing(log.map((event) => event.position));
          for (const [stream, model] of models) {
            const read = await store.readStream(stream);
            expect(read.map(comparable)).toEqual(model.map(comparable));
            expect(idsOf(log.filter((event) => event.stream === stream))).toEqual(idsOf(model));
          }
        }),
        { numRuns: runs },
      );
    });
  });
}
