import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/event-store/embedded/open-embedded-event-store';
import { acknowledged, LogWitness, startWriting } from './support/writing-process';

describe('a service that is killed while it writes', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kill 9-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('keeps every acknowledged event, once and in its place', async () => {
    const witness = new LogWitness();
    let total = 0;
    const rounds = fc.asyncProperty(fc.nat(300), async (enough) => {
      const writing = startWriting(directory);
      await writing.until(() => acknowledged(writing).length > enough);
      await writing.kill();

      const store = await openEmbeddedEventStore(directory);
      const told = acknowledged(writing);
      total += told.length;
      expect(await witness.problems(store, told)).toEqual([]);
      await store.close();
    });
    await fc.assert(rounds, { numRuns: 20, endOnFailure: true });
    expect(total).toBeGreaterThan(20);
  }, 120_000);
});
