import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collection, type Document } from '../projection';
import { openEmbeddedReadModel } from './embedded-read-model';
import { ReadModelUnreadable } from './environment';

type Thing = Document & Readonly<{ note: string }>;
const things = collection<Thing>('things', { all: { equals: [] } });
const write = (id: string, position: number) => ({
  collection: things,
  document: { id, note: `note of ${id} `.repeat(40) },
  position: BigInt(position),
});

/** In one line. */
const TOLD = /^[^\n]+: delete it; it is rebuilt from the log$/;

describe('an embedded read model whose file is damaged', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'svc-read-model-'));
    file = join(directory, 'data.mdb');
    const store = await openEmbeddedReadModel(directory);
    await store.prepare([things]);
    await store.apply(
      Array.from({ length: 200 }, (_, at) => write(`thing${at}`, at + 1)),
      200n,
    );
    // Small changes reuse the pages that became free, so that the last pages of the file hold only documents.
    for (const at of [201, 202, 203, 204]) await store.apply([write('thing0', at)], BigInt(at));
    await store.close();
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const damage: Record<string, () => void> = {
    'holds foreign bytes': () => writeFileSync(file, Buffer.alloc(100_000, 'Z')),
    'holds zeros': () => writeFileSync(file, Buffer.alloc(100_000)),
    'is a few bytes long': () => truncateSync(file, 100),
    'is one page long': () => truncateSync(file, 4096),
    'has lost its second header': () => patch((bytes) => bytes.fill(0, 4096, 8192)),
    'claims to be endless': () => patch((bytes) => bytes.fill(0xff, 144, 152)),
  };
  const patch = (change: (bytes: Buffer) => void): void => {
    const bytes = readFileSync(file);
    change(bytes);
    writeFileSync(file, bytes);
  };

  it.each(Object.entries(damage))('says in one line what to do when the file %s', async (_, harm) => {
    harm();
    const error: unknown = await openEmbeddedReadModel(directory).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ReadModelUnreadable);
    const { message } = error as Error;
    expect(message).toContain(directory);
    expect(message).toMatch(TOLD);
  });

  it.each(Object.entries(damage))('begins empty if told to when the file %s', async (_, harm) => {
    harm();
    writeFileSync(join(directory, 'neighbour'), 'stays');
    const store = await openEmbeddedReadModel(directory, { discardUnreadable: true });
    expect((await store.state()).fingerprint).toBeUndefined();
    expect((await store.state()).position).toBe(0n);
    await store.apply([write('a', 1)], 1n);
    expect((await store.get(things, 'a'))?.id).toBe('a');
    await store.close();
    expect(readFileSync(join(directory, 'neighbour'), 'utf8')).toBe('stays');
  });

  it('is damaged if a document is gone that is known to have been written', async () => {
    const store = await openEmbeddedReadModel(directory);
    expect(await store.getAll(things, ['thing2', 'thing1'])).toMatchObject([{ id: 'thing2' }, { id: 'thing1' }]);
    expect(store.damage()).toBeUndefined();
    await expect(store.getAll(things, ['thing1', 'thing2000'])).rejects.toBeInstanceOf(ReadModelUnreadable);
    expect(store.damage()).toBeInstanceOf(ReadModelUnreadable);
    await store.close();
    const again = await openEmbeddedReadModel(directory, { discardUnreadable: true });
    expect((await again.state()).position).toBe(0n);
    await again.close();
  });

  it('is refused each time, or complete, wherever it was truncated', () => {
    const program = [
      '-r',
      join(__dirname, '../../../../test/support/register-swc.js'),
      join(__dirname, 'cut-read-model.fixtures.ts'),
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...program, directory], { encoding: 'utf8' });
    expect(status).toBe(0);
    // Nothing but what such files make the library print.
    expect(stderr.replace(/^.*internal error, index points to a 00 page!\?\n/gm, '')).toBe('');
    type Told = Readonly<{ message: string; isEmpty: boolean }>;
    const { outcomes, half, header } = JSON.parse(stdout) as Readonly<{ outcomes: string[]; half: Told; header: Told }>;
    for (const one of [half, header]) {
      expect(one).toEqual({ message: expect.stringMatching(TOLD), isEmpty: true });
      expect(one.message).toContain(directory);
    }
    const refusals = outcomes.filter((one) => one === 'ReadModelUnreadable').length;
    expect(refusals).toBeGreaterThan(outcomes.length / 2);
    expect(outcomes.filter((one) => one === 'whole')).toHaveLength(outcomes.length - refusals);
  });

  it('neither crashes a process nor shows wrong data, whichever pages were changed since it was closed', () => {
    const seed = String(1 + Math.floor(Math.random() * 1e6));
    const program = [
      '-r',
      join(__dirname, '../../../../test/support/register-swc.js'),
      join(__dirname, 'changed-pages.fixtures.ts'),
    ];
    const { status, signal, stdout } = spawnSync(process.execPath, [...program, directory, seed, '10'], {
      encoding: 'utf8',
    });
    expect({ seed, status, signal }).toEqual({ seed, status: 0, signal: null });
    const { ReadModelUnreadable: refused = 0, whole = 0, ...others } = JSON.parse(stdout) as Record<string, number>;
    expect({ seed, others }).toEqual({ seed, others: {} });
    expect(refused + whole).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });

  it('is refused before it is opened if one letter was changed since it was closed', async () => {
    patch((bytes) => bytes.write('!', bytes.lastIndexOf('{"id":"thing7"')));
    await expect(openEmbeddedReadModel(directory)).rejects.toThrow('does not match its checksum');
    const store = await openEmbeddedReadModel(directory, { discardUnreadable: true });
    expect((await store.state()).position).toBe(0n);
    await store.close();
  });

  it('is refused if an index key was changed and is still in order', async () => {
    const timed = collection<Document & { at: string }>('timed', { by_time: { equals: [], sort: 'at' } });
    const filling = await openEmbeddedReadModel(directory);
    await filling.prepare([timed]);
    const documents = [1, 2, 3].map((day) => ({ id: `day${day}`, at: `2030-01-0${day}` }));
    await filling.apply(
      documents.map((document) => ({ collection: timed, document, position: 300n })),
      300n,
    );
    await filling.close();
    patch((bytes) => {
      const key = '3\0\0day3';
      for (let at = bytes.indexOf(key); at !== -1; at = bytes.indexOf(key, at + 1)) bytes.write('9', at);
    });
    await expect(openEmbeddedReadModel(directory)).rejects.toThrow('the indexes are not what was written');
  });

  it('names the directory when one document cannot be parsed while it is in use', async () => {
    const store = await openEmbeddedReadModel(directory);
    // In place, as a faulty disk would: the file itself stays the same.
    const at = readFileSync(file).lastIndexOf('{"id":"thing7"');
    const handle = openSync(file, 'r+');
    writeSync(handle, '!', at);
    closeSync(handle);
    await expect(store.get(things, 'thing7')).rejects.toThrow(ReadModelUnreadable);
    await expect(store.load([{ collection: things, id: 'thing7' }])).rejects.toThrow(directory);
    await expect(store.find(things, 'all', [], { limit: 200 })).rejects.toThrow(ReadModelUnreadable);
    await expect(store.apply([write('new', 300), write('thing7', 301)], 301n)).rejects.toThrow(ReadModelUnreadable);
    expect((await store.get(things, 'thing8'))?.id).toBe('thing8');
    // The batch that met the damage left nothing behind.
    expect(await store.get(things, 'new')).toBeUndefined();
    expect((await store.state()).position).toBe(204n);
    await store.close();
  });

  it('is not disturbed by an empty file or by a dot in the directory', async () => {
    writeFileSync(file, '');
    const store = await openEmbeddedReadModel(directory);
    expect((await store.state()).position).toBe(0n);
    await store.close();
    const dotted = await openEmbeddedReadModel(join(directory, 'read.model'));
    await dotted.apply([write('a', 1)], 1n);
    await dotted.close();
    expect(statSync(join(directory, 'read.model', 'data.mdb')).isFile()).toBe(true);
  });

  it('opens a file that is longer than it claims', async () => {
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(8192)]));
    const store = await openEmbeddedReadModel(directory);
    expect((await store.get(things, 'thing7'))?.id).toBe('thing7');
    await store.close();
  });
});
