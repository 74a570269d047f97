import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collection, type Document } from '../projection';
import { openEmbeddedReadModel } from './embedded-read-model';
import { type LmdbReadModelStore } from './lmdb-store';

/** A separate program: if a changed page ends the process, it is this one that ends. */
const [, , directory = '', seed = '1', rounds = '1'] = process.argv;
const file = join(directory, 'data.mdb');
const things = collection<Document>('things', { all: { equals: [] } });
const PAGE = 4096;

let state = Number(seed);
const random = (below: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state % below;
};

/** One page reversed, zeroed, random, or with a few random bytes. An older version of it would not be detectable. */
function damage(original: Buffer): Buffer {
  const bytes = Buffer.from(original);
  const page = (2 + random(bytes.length / PAGE - 2)) * PAGE;
  const kind = random(4);
  if (kind === 0) bytes.subarray(page, page + PAGE).reverse();
  if (kind === 1) bytes.fill(0, page, page + PAGE);
  if (kind === 2) for (let at = 0; at < PAGE; at += 1) bytes[page + at] = random(256);
  if (kind === 3) for (let count = 0; count < 8; count += 1) bytes[page + random(PAGE)] = random(256);
  return bytes;
}

/** An older state of the whole file is a stale copy: the log brings it up to date. */
const isBehind = async (store: LmdbReadModelStore): Promise<boolean> =>
  (await store.state()).position === 0n && (await store.find(things, 'all', [], { limit: 1 })).documents.length === 0;

const everythingIn = async (store: LmdbReadModelStore): Promise<string> => {
  const { documents } = await store.find(things, 'all', [], { limit: 300 });
  return JSON.stringify([documents, String((await store.state()).position)]);
};

async function outcomeOf(expected: string): Promise<string> {
  const store = await openEmbeddedReadModel(directory);
  const isWhole = (await isBehind(store)) || (await everythingIn(store)) === expected;
  await store.apply([{ collection: things, document: { id: 'thing0' }, position: 205n }], 205n);
  await store.close();
  return isWhole ? 'whole' : 'wrong';
}

async function main(): Promise<void> {
  const whole = await openEmbeddedReadModel(directory);
  const expected = await everythingIn(whole);
  await whole.close();
  const original = readFileSync(file);
  const outcomes: Record<string, number> = {};
  for (let round = 0; round < Number(rounds); round += 1) {
    writeFileSync(file, damage(original));
    const outcome = await outcomeOf(expected).catch((error: Error) => error.name);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    // Damage found in use is the end of this process: the engine does not close such a file.
    if (existsSync(join(directory, 'damaged'))) break;
  }
  process.stdout.write(JSON.stringify(outcomes));
  process.exit();
}

void main();
