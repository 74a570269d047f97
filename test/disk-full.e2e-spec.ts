import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/event-store/embedded/open-embedded-event-store';
import { temporaryDirectories } from './support/temp-directory';
import { acknowledged, LogWitness, startWriting, type WritingProcess } from './support/writing-process';

/** To a process, a file that may not grow is as good as a full disk; and it can be allowed to grow again. */
function letFilesGrowTo(process: WritingProcess, bytes: number | 'unlimited'): void {
  const { status } = spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
  if (status !== 0) throw new Error('prlimit (of util-linux) is needed to limit another process');
}

describe('a disk without space', () => {
  const newDirectory = temporaryDirectories();

  it('makes appends fail as unavailable, loses nothing, and all goes on when there is space', async () => {
    const directory = newDirectory();
    const writing = startWriting(directory);
    const unavailable = (): number => writing.told.filter((told) => told.kind === 'unavailable').length;
    await writing.until(() => acknowledged(writing).length > 50);

    for (let round = 0; round < 3; round += 1) {
      const failed = unavailable();
      letFilesGrowTo(writing, statSync(join(directory, 'events.mdb')).size + 50_000);
      await writing.until(() => unavailable() > failed + 50);
      letFilesGrowTo(writing, 'unlimited');
      const written = acknowledged(writing).length;
      await writing.until(() => acknowledged(writing).length > written + 200);
    }
    await writing.kill();

    const store = await openEmbeddedEventStore(directory);
    expect(await new LogWitness().problems(store, acknowledged(writing))).toEqual([]);
    await store.close();
  });
});
