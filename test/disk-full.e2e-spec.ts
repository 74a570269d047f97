import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { temporaryDirectories } from './support/temp-directory';
import { spawnService } from './support/child';
import { eventually } from './support/eventually';
import { figure, progress, sizeFrom, timeLimit } from './support/figures';
import { call } from './support/http';
import { smallDisks } from './support/small-disk';
import { acknowledged, LogWitness, startWriting, type WritingProcess } from './support/writing-process';

/** 20 in a full-size run. */
const ROUNDS = sizeFrom('CHAOS_ROUNDS', 3);
const PROMISE = 'acknowledged writes on a full disk';

/** A file size limit looks like a full disk to the process, and can be lifted again. */
function letFilesGrowTo(process: WritingProcess, bytes: number | 'unlimited'): void {
  const { status } = spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
  if (status !== 0) throw new Error('prlimit (of util-linux) is needed to limit another process');
}

describe('a disk without space', () => {
  const newDirectory = temporaryDirectories();
  const newDisk = smallDisks();

  it(
    'makes appends fail as unavailable, loses nothing, and everything works again once there is space',
    async () => {
      const directory = newDirectory();
      const writing = startWriting(directory);
      await writing.until(() => writing.count('appended') > 50);

      for (let round = 0; round < ROUNDS; round += 1) {
        const failed = writing.count('unavailable');
        letFilesGrowTo(writing, statSync(join(directory, 'events.mdb')).size + 50_000);
        await writing.until(() => writing.count('unavailable') > failed + 50);
        letFilesGrowTo(writing, 'unlimited');
        const written = writing.count('appended');
        await writing.until(() => writing.count('appended') > written + 200);
      }
      await writing.kill();

      const store = await openEmbeddedEventStore(directory);
      const problems = await new LogWitness().problems(store, acknowledged(writing));
      await store.close();
      figure({ promise: PROMISE, tried: acknowledged(writing).length, lost: problems.length, doubled: 0 });
      expect(problems).toEqual([]);
    },
    timeLimit(60_000),
  );

  it(
    'makes writes answer 503 while reads work, and writes work again without a restart once there is space',
    async () => {
      const disk = newDisk();
      const service = await spawnService({ DATA_DIR: disk.directory, LOG_LEVEL: 'silent' });
      const written: { id: string; token: string }[] = [];
      const write = async (): Promise<number> => {
        const { status, body } = await call(`${service.url}/v1/wallet-devices`, { body: { name: 'Phone' } });
        if (status === 201) written.push({ id: body.device.device_id as string, token: body.device_token as string });
        return status;
      };
      const reads = (): Promise<number[]> =>
        Promise.all(
          written.map(async ({ id, token }) => {
            const headers = { authorization: `Device ${id}:${token}` };
            return (await call(`${service.url}/v1/wallet-devices/${id}`, { headers })).status;
          }),
        );
      for (let count = 0; count < 10; count += 1) expect(await write()).toBe(201);

      for (let round = 0; round < ROUNDS; round += 1) {
        disk.fill(service);
        // Free space inside the files is used up first.
        const statuses = new Set<number>();
        await eventually(write, (status) => (statuses.add(status), status === 503), 'a write that finds no space');
        expect([...statuses].filter((status) => status !== 201)).toEqual([503]);
        expect(new Set(await reads())).toEqual(new Set([200]));
        expect((await call(`${service.url}/health`)).status).toBe(200);

        disk.clear(service);
        await eventually(write, (status) => status === 201, 'a write that finds space again');
        expect(new Set(await reads())).toEqual(new Set([200]));
        progress(round + 1, ROUNDS);
      }
      const lost = (await reads()).filter((status) => status !== 200).length;
      figure({ promise: PROMISE, tried: written.length, lost, doubled: 0 });
      expect(lost).toBe(0);
      service.child.kill('SIGTERM');
      expect(await service.ended).toBe(0);
    },
    timeLimit(180_000),
  );
});
