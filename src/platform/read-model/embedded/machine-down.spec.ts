import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collection, type Document } from '../projection';
import {
  openEmbeddedReadModel,
  openEmbeddedReadModelReadOnly,
  openEmbeddedReadModelToMark,
} from './embedded-read-model';
import { ReadModelUnreadable } from './environment';
import { type LmdbReadModelStore } from './lmdb-store';

const things = collection<Document>('things', { all: { equals: [] } });

/** Nothing waits for the disk while it is written, so a machine that goes down may leave any mixture of old and new pages. */
describe('an embedded read model that was in use when its process ended', () => {
  let directory: string;
  let store: LmdbReadModelStore;
  /** The files as the process had them: the kernel keeps what was written for it. */
  let left: string;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'svc-read-model-'));
    left = `${directory}-left`;
    store = await openEmbeddedReadModel(directory);
    await store.prepare([things]);
    await store.apply([{ collection: things, document: { id: 'a' }, position: 7n }], 7n);
    cpSync(directory, left, { recursive: true });
  });
  afterEach(async () => {
    await store.close();
    for (const path of [directory, left]) rmSync(path, { recursive: true });
  });
  const noteOf = (path: string): string => join(path, 'left');
  const change = (fields: object): void => {
    const note = JSON.parse(readFileSync(noteOf(left), 'utf8')) as object;
    writeFileSync(noteOf(left), JSON.stringify({ ...note, ...fields }));
  };

  it('is intact if the process was killed', async () => {
    const next = await openEmbeddedReadModel(left);
    expect((await next.state()).position).toBe(7n);
    expect(await next.get(things, 'a')).toEqual({ id: 'a' });
    await next.close();
  });

  it.each([
    ['the machine went down', () => change({ boot: 'another run' })],
    ['nobody knows which run of the machine it was', () => change({ boot: undefined })],
    ['the machine went down while the note was written', () => writeFileSync(noteOf(left), '{"unpro')],
    ['there is no note', () => rmSync(noteOf(left))],
  ])('is not trusted if %s', async (_, harm) => {
    harm();
    await expect(openEmbeddedReadModel(left)).rejects.toThrow(ReadModelUnreadable);
    const next = await openEmbeddedReadModel(left, { discardUnreadable: true });
    expect((await next.state()).position).toBe(0n);
    await next.close();
  });

  it('is not read by commands either if the machine went down', async () => {
    change({ boot: 'another run' });
    await expect(openEmbeddedReadModelReadOnly(left)).rejects.toThrow('machine went down');
  });

  it('is not trusted if the final flush failed', async () => {
    const next = await openEmbeddedReadModel(left);
    const handle = await open(noteOf(left));
    const sync = jest
      .spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync')
      .mockRejectedValue(new Error('EIO: i/o error, fsync'));
    await next.close();
    sync.mockRestore();
    await handle.close();
    await expect(openEmbeddedReadModel(left)).rejects.toThrow(ReadModelUnreadable);
  });

  it('is not mistaken for a closed one if no note could be written', async () => {
    await store.close();
    // What stands in the way is no file.
    mkdirSync(join(directory, 'left.new'));
    store = await openEmbeddedReadModel(directory);
    expect(existsSync(noteOf(directory))).toBe(false);
  });

  it('is in use while a command sets bookmarks in it and no other process has it open', async () => {
    await store.close();
    const marking = await openEmbeddedReadModelToMark(directory);
    const inUse = { unproven: 1, busy: 0, commits: expect.any(Number), boot: expect.any(String) };
    expect(JSON.parse(readFileSync(noteOf(directory), 'utf8'))).toEqual(inUse);
    await marking.setBookmark('mark', 3n);
    await marking.close();
    store = await openEmbeddedReadModel(directory);
    expect(await store.bookmark('mark')).toBe(3n);
  });

  it('is trusted after a reboot once it was closed', async () => {
    await store.close();
    expect(Object.keys(JSON.parse(readFileSync(noteOf(directory), 'utf8')) as object)).toEqual(['closed']);
    store = await openEmbeddedReadModel(directory);
    expect((await store.state()).position).toBe(7n);
  });
});
