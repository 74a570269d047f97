import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectories } from '../../../../test/support/temp-directory';
import { collection, type Document } from '../projection';
import { type LmdbReadModelStore } from './lmdb-store';
import { openEmbeddedReadModel, openEmbeddedReadModelReadOnly, openEmbeddedReadModelToMark } from './open';
import { ReadModelUnreadable } from './tables';

type Thing = Document & Readonly<{ note: string }>;
const things = collection<Thing>('things', { all: { equals: [] } });
const write = (id: string, position: number) => ({
  collection: things,
  document: { id, note: `note of ${id} `.repeat(40) },
  position: BigInt(position),
});
const PAGE = 4096;

describe('an embedded read model that is opened', () => {
  const newDirectory = temporaryDirectories();
  let directory: string;
  let file: string;
  let note: string;
  const opened: LmdbReadModelStore[] = [];
  beforeEach(async () => {
    directory = newDirectory();
    file = join(directory, 'data.mdb');
    note = join(directory, 'note');
    const store = await openIt();
    await store.prepare([things]);
    const writes = Array.from({ length: 200 }, (_, at) => write(`thing${at}`, at + 1));
    await store.apply(writes, 200n);
    await store.setBookmark('mark', 3n);
  });
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));

  const openIt = async (where = directory, onDiscard?: (why: Error) => void): Promise<LmdbReadModelStore> => {
    const store = await openEmbeddedReadModel(where, { ...(onDiscard && { onDiscard }) });
    opened.push(store);
    return store;
  };
  const close = async (): Promise<void> => {
    for (const store of opened.splice(0)) await store.close();
  };
  /** Leaves the files as a process that was killed leaves them: the kernel keeps what was written for it. */
  const kill = async (): Promise<void> => {
    const left = newDirectory();
    cpSync(directory, left, { recursive: true });
    await close();
    rmSync(directory, { recursive: true });
    cpSync(left, directory, { recursive: true });
  };
  /** Opens it: whole, or empty, and then why. Either way it can be written and read. */
  const outcome = async (): Promise<string> => {
    let why = 'empty';
    const store = await openIt(directory, (error) => (why = error.message));
    const { position, fingerprint } = await store.state();
    await store.prepare([things]);
    const { documents } = await store.find(things, 'all', [], { limit: 300 });
    await store.apply([write('thing0', 300)], 300n);
    expect(await store.get(things, 'thing0')).toMatchObject({ id: 'thing0' });
    await close();
    if (position === 200n && documents.length === 200) return 'whole';
    expect({ position, fingerprint, documents }).toEqual({ position: 0n, fingerprint: undefined, documents: [] });
    return why;
  };

  it('is whole after kill -9', async () => {
    await kill();
    expect(readFileSync(note, 'utf8')).toMatch(/^open [0-9a-f-]{36}$/);
    expect(await outcome()).toBe('whole');
  });

  it('is whole after it was closed, whichever boot of the machine it is', async () => {
    await close();
    expect(readFileSync(note, 'utf8')).toBe('closed');
    expect(await outcome()).toBe('whole');
  });

  const EMPTY = /^the read model in [^\n]+ is unreadable \([^\n]+\): start the service anew, which rebuilds it[^\n]*$/;

  it.each([
    ['the machine went down', 'open 00000000-0000-0000-0000-000000000000', /when the machine went down/],
    ['nobody knows in which boot of the machine it was in use', 'open ', /when the machine went down/],
    ['the process ended while it opened it', 'opening', /ended while it opened it/],
    ['the note was cut', 'ope', /nothing says how it was left/],
    ['the note says nothing', '', /nothing says how it was left/],
  ])('begins empty if %s, and is refused to commands that only read', async (_, text, why) => {
    await kill();
    writeFileSync(note, text);
    await expect(openEmbeddedReadModelReadOnly(directory)).rejects.toThrow(why);
    const told = await outcome();
    expect(told).toMatch(why);
    expect(told).toMatch(EMPTY);
    expect(told).toContain(directory);
  });

  it('begins empty if there is no note, and leaves its neighbours alone', async () => {
    await kill();
    rmSync(note);
    writeFileSync(join(directory, 'neighbour'), 'stays');
    expect(await outcome()).toMatch(/nothing says how it was left/);
    expect(readFileSync(join(directory, 'neighbour'), 'utf8')).toBe('stays');
  });

  const harm: Record<string, () => void> = {
    'foreign bytes': () => writeFileSync(file, Buffer.alloc(100_000, 'Z')),
    zeros: () => writeFileSync(file, Buffer.alloc(100_000)),
    'a few bytes': () => truncateSync(file, 100),
    'one page': () => truncateSync(file, PAGE),
    'no second header': () => patch((bytes) => bytes.fill(0, PAGE, 2 * PAGE)),
    'an endless length': () => patch((bytes) => bytes.fill(0xff, 144, 152)),
  };
  const patch = (change: (bytes: Buffer) => void): void => {
    const bytes = readFileSync(file);
    change(bytes);
    writeFileSync(file, bytes);
  };

  it.each(Object.keys(harm))('begins empty if the file holds %s', async (what) => {
    await close();
    harm[what]?.();
    await expect(openEmbeddedReadModelReadOnly(directory)).rejects.toBeInstanceOf(ReadModelUnreadable);
    expect(await outcome()).toMatch(EMPTY);
  });

  it('is whole or begins empty wherever it was cut', async () => {
    await close();
    const whole = readFileSync(file);
    const outcomes: string[] = [];
    for (let length = 8192; length <= whole.length; length += 9 * PAGE) {
      writeFileSync(file, whole.subarray(0, length));
      writeFileSync(note, 'closed');
      outcomes.push((await outcome()).replace(/^.*it was cut to.*$/, 'cut'));
    }
    writeFileSync(file, Buffer.concat([whole, Buffer.alloc(2 * PAGE)]));
    writeFileSync(note, 'closed');
    expect(await outcome()).toBe('whole');
    expect(outcomes.filter((one) => one !== 'whole' && one !== 'cut')).toEqual([]);
    expect(outcomes.filter((one) => one === 'cut').length).toBeGreaterThan(outcomes.length / 2);
  });

  it('begins empty at the latest at the second start if its pages end the first one', async () => {
    await close();
    patch((bytes) => bytes.fill(0xa5, 2 * PAGE));
    const script = `require(${JSON.stringify(join(__dirname, 'open.ts'))}).openEmbeddedReadModel(process.argv[1])
      .then((store) => store.state()).then(({ position }) => console.log(String(position)), (error) => console.log(error.message))
      .then(() => process.exit());`;
    const start = () =>
      spawnSync(process.execPath, ['-r', REGISTER, '-e', script, directory], { encoding: 'utf8' }).stdout.trim();
    const starts = [start(), start()];
    expect(starts.at(-1)).toBe('0');
    expect(['', '0']).toContain(starts[0]);
  });

  it('is opened as whole only once the first read and the first write have succeeded', async () => {
    await close();
    // Another process may be killed at each step: the note must say so before LMDB sees the file.
    const script = `const fs = require('node:fs');
      const lmdb = require('lmdb'), open = lmdb.open;
      lmdb.open = (...words) => { console.log(fs.readFileSync(process.argv[1] + '/note', 'utf8')); return open(...words); };
      require(${JSON.stringify(join(__dirname, 'open.ts'))}).openEmbeddedReadModel(process.argv[1])
        .then(() => { console.log(fs.readFileSync(process.argv[1] + '/note', 'utf8')); process.exit(); });`;
    const { stdout } = spawnSync(process.execPath, ['-r', REGISTER, '-e', script, directory], { encoding: 'utf8' });
    expect(stdout).toMatch(/^opening\nopen [0-9a-f-]{36}\n$/);
  });

  it('begins empty after the disk refused the last of it', async () => {
    const handle = await open(note);
    const sync = jest
      .spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync')
      .mockRejectedValue(new Error('EIO: i/o error, fsync'));
    await close();
    sync.mockRestore();
    await handle.close();
    expect(await outcome()).toMatch(EMPTY);
  });

  it('is not mistaken for a closed one if no note can be written', async () => {
    await close();
    // What stands in the way is no file.
    mkdirSync(`${note}.new`);
    await openIt();
    expect(existsSync(note)).toBe(false);
  });

  it('begins empty if one document could not be read while it was in use', async () => {
    const store = opened[0] as LmdbReadModelStore;
    // In place, as a faulty disk would: the file itself stays the same.
    const handle = await open(file, 'r+');
    await handle.write('!', readFileSync(file).lastIndexOf('{"id":"thing7"'));
    await handle.close();
    await expect(store.get(things, 'thing7')).rejects.toThrow(ReadModelUnreadable);
    await expect(store.load([{ collection: things, id: 'thing7' }])).rejects.toThrow(directory);
    await expect(store.find(things, 'all', [], { limit: 200 })).rejects.toThrow(ReadModelUnreadable);
    await expect(store.apply([write('new', 300), write('thing7', 301)], 301n)).rejects.toThrow(ReadModelUnreadable);
    expect((await store.get(things, 'thing8'))?.id).toBe('thing8');
    // The batch that met the damage left nothing behind.
    expect(await store.get(things, 'new')).toBeUndefined();
    expect((await store.state()).position).toBe(200n);
    await close();
    expect(await outcome()).toMatch(/found it damaged/);
  });

  it('is damaged if a document is gone that is known to have been written', async () => {
    const store = opened[0] as LmdbReadModelStore;
    expect(await store.getAll(things, ['thing2', 'thing1'])).toMatchObject([{ id: 'thing2' }, { id: 'thing1' }]);
    await expect(store.getAll(things, ['thing1', 'thing2000'])).rejects.toBeInstanceOf(ReadModelUnreadable);
    await close();
    expect(await outcome()).toMatch(EMPTY);
  });

  it('begins empty if a process ended while it was dropping everything', async () => {
    const store = opened[0] as LmdbReadModelStore;
    const dropping = store.reset('next');
    const during = readFileSync(note, 'utf8');
    await dropping;
    expect([during, readFileSync(note, 'utf8').slice(0, 5)]).toEqual(['opening', 'open ']);
    expect(await store.bookmark('mark')).toBe(3n);
  });

  it('is in use while a command sets bookmarks in it and no other process has it open', async () => {
    await close();
    const marking = await openEmbeddedReadModelToMark(directory);
    expect(readFileSync(note, 'utf8')).toMatch(/^open /);
    await marking.setBookmark('mark', 5n);
    await marking.close();
    expect(await (await openIt()).bookmark('mark')).toBe(5n);
  });

  it('is not disturbed by an empty file or by a dot in the directory', async () => {
    await close();
    writeFileSync(file, '');
    expect((await (await openIt()).state()).position).toBe(0n);
    const dotted = await openIt(join(directory, 'read.model'));
    await dotted.apply([write('a', 1)], 1n);
    expect(statSync(join(directory, 'read.model', 'data.mdb')).isFile()).toBe(true);
  });
});

const REGISTER = join(__dirname, '../../../../test/support/register-swc.js');
