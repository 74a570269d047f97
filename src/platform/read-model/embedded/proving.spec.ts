import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootId } from '../../../kernel/boot-id';
import { collection, type Document } from '../projection';
import { openEmbeddedReadModel } from './embedded-read-model';
import { ReadModelUnreadable } from './environment';
import { MAX_UNPROVEN } from './proving';

const things = collection<Document>('things', { all: { equals: [] } });
const UNTOUCHED = 'a document that nobody writes again';
const BUSY = 25;

describe('an embedded read model on which process after process is killed soon after its start', () => {
  let root: string;
  let directory: string;
  let position: bigint;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'svc-read-model-'));
    directory = join(root, '0');
    position = 1n;
    const store = await openEmbeddedReadModel(directory);
    await store.prepare([things]);
    const untouched = { id: 'untouched', text: UNTOUCHED };
    await store.apply([{ collection: things, document: untouched, position }], position);
    await store.close();
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const noteOf = (): string => join(directory, 'left');
  const left = () => JSON.parse(readFileSync(noteOf(), 'utf8')) as Record<string, unknown>;

  /** Opens it, commits so often, and goes on with the files as a process killed at that moment would leave them. */
  const useAndKill = async (commits: number) => {
    const store = await openEmbeddedReadModel(directory);
    for (let done = 0; done < commits; done += 1) {
      position += 1n;
      await store.apply([{ collection: things, document: { id: 'a' }, position }], position);
    }
    const files = join(root, `${Number(directory.slice(root.length + 1)) + 1}`);
    cpSync(directory, files, { recursive: true });
    await store.close();
    directory = files;
    return left();
  };
  const damage = (): void => {
    const path = join(directory, 'data.mdb');
    const file = readFileSync(path);
    for (let at = file.indexOf(UNTOUCHED); at !== -1; at = file.indexOf(UNTOUCHED, at + 1)) file[at] = 0x5f;
    writeFileSync(path, file);
  };
  const opens = async (): Promise<void> => (await openEmbeddedReadModel(directory)).close();

  it('is not trusted any more if none of them did anything', async () => {
    const counted: unknown[] = [];
    for (let ends = 0; ends < MAX_UNPROVEN; ends += 1) counted.push((await useAndKill(1))['unproven']);
    expect(counted).toEqual([1, 2, 3, 4, 5]);
    await expect(openEmbeddedReadModel(directory)).rejects.toThrow('5 processes in a row');
  });

  it('is trusted if each of them was busy: their ends were not its fault', async () => {
    const counted: unknown[] = [];
    for (let ends = 0; ends < MAX_UNPROVEN + 1; ends += 1) {
      const { unproven, busy } = await useAndKill(BUSY);
      counted.push([unproven, busy]);
    }
    expect(counted).toEqual([0, 1, 2, 3, 4, 5].map((busy) => [1, busy]));
    const store = await openEmbeddedReadModel(directory);
    expect((await store.state()).position).toBe(position);
    await store.close();
  });

  it('is counted anew after a busy one', async () => {
    for (let ends = 0; ends < MAX_UNPROVEN - 1; ends += 1) await useAndKill(1);
    const counted = [await useAndKill(BUSY), await useAndKill(1), await useAndKill(1)];
    expect(counted.map(({ unproven }) => unproven)).toEqual([5, 1, 2]);
  });

  it('is read after the second busy one in a row, then after the fourth and the sixteenth', async () => {
    const read: number[] = [];
    for (let ends = 1; ends <= 17; ends += 1) {
      await useAndKill(BUSY);
      const intact = directory;
      directory = join(root, `damaged-${ends}`);
      cpSync(intact, directory, { recursive: true });
      damage();
      await opens().catch((error: unknown) => read.push(error instanceof ReadModelUnreadable ? ends : NaN));
      directory = intact;
    }
    expect(read).toEqual([2, 4, 16]);
  });

  it('is read before it is opened if its header counts more commits than any process makes', async () => {
    await useAndKill(1);
    damage();
    const path = join(directory, 'data.mdb');
    const file = readFileSync(path);
    const pageSize = file.readUInt32LE(48);
    const newer = [152, pageSize + 152].sort((one, other) =>
      Number(file.readBigUInt64LE(other) - file.readBigUInt64LE(one)),
    );
    file.writeBigUInt64LE(2n ** 63n, newer[0] ?? 0);
    writeFileSync(path, file);
    await expect(openEmbeddedReadModel(directory)).rejects.toBeInstanceOf(ReadModelUnreadable);
  });

  it.each([
    'null',
    '5',
    '"x"',
    '[]',
    '{}',
    '{"unproven":"1"}',
    '{"unproven":-1}',
    '{"unproven":1,"commits":null}',
    '{"unproven":1,"commits":-40}',
    '{"unproven":1,"busy":0.5}',
  ])('is not trusted if all that is noted of it is %s', async (note) => {
    await useAndKill(1);
    const text = note.replace(/\}$/, `${note === '{}' ? '' : ','}"boot":${JSON.stringify(bootId())}}`);
    writeFileSync(noteOf(), text);
    await expect(openEmbeddedReadModel(directory)).rejects.toBeInstanceOf(ReadModelUnreadable);
    await (await openEmbeddedReadModel(directory, { discardUnreadable: true })).close();
  });
});
