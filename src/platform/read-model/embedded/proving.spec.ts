import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collection, type Document } from '../projection';
import { openEmbeddedReadModel } from './embedded-read-model';
import { MAX_UNPROVEN } from './proving';

const things = collection<Document>('things', { all: { equals: [] } });

describe('an embedded read model on which process after process is killed soon after its start', () => {
  let root: string;
  let directory: string;
  let commits: bigint;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'svc-read-model-'));
    directory = join(root, '0');
    commits = 0n;
    const store = await openEmbeddedReadModel(directory);
    await store.prepare([things]);
    await store.close();
  });
  afterEach(() => rmSync(root, { recursive: true }));

  /** Opens it, commits so often, and goes on with the files as a process killed at that moment would leave them. */
  const useAndKill = async (times: number): Promise<number> => {
    const store = await openEmbeddedReadModel(directory);
    for (let done = 0; done < times; done += 1) {
      commits += 1n;
      await store.apply([{ collection: things, document: { id: 'a' }, position: commits }], commits);
    }
    const left = join(root, `${Number(directory.slice(root.length + 1)) + 1}`);
    cpSync(directory, left, { recursive: true });
    await store.close();
    directory = left;
    return (JSON.parse(readFileSync(join(left, 'left'), 'utf8')) as { unproven: number }).unproven;
  };

  it('is not trusted any more if none of them did anything', async () => {
    const counted: number[] = [];
    for (let ends = 0; ends < MAX_UNPROVEN; ends += 1) counted.push(await useAndKill(1));
    expect(counted).toEqual([1, 2, 3, 4, 5]);
    await expect(openEmbeddedReadModel(directory)).rejects.toThrow('5 processes in a row');
  });

  it('is trusted if each of them has written it many times: their ends were not its fault', async () => {
    const counted: number[] = [];
    for (let ends = 0; ends < MAX_UNPROVEN + 1; ends += 1) counted.push(await useAndKill(25));
    expect(counted).toEqual([1, 1, 1, 1, 1, 1]);
    const store = await openEmbeddedReadModel(directory);
    expect(await store.checkpoint()).toBe(commits);
    await store.close();
  });

  it('is counted anew after one that has written it many times', async () => {
    for (let ends = 0; ends < MAX_UNPROVEN - 1; ends += 1) await useAndKill(1);
    expect([await useAndKill(25), await useAndKill(1), await useAndKill(1)]).toEqual([5, 1, 2]);
  });
});
