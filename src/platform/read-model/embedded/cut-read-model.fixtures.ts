import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collection, type Document } from '../projection';
import { openEmbeddedReadModel } from './embedded-read-model';

/** A separate program: on such files the library's C code writes to standard error directly. */
const [, , directory = ''] = process.argv;
const file = join(directory, 'data.mdb');
const things = collection<Document>('things', { all: { equals: [] } });

async function outcome(): Promise<string> {
  const store = await openEmbeddedReadModel(directory).catch((error: Error) => error.name);
  if (typeof store === 'string') return store;
  const { documents } = await store.find(things, 'all', [], { limit: 300 });
  await store.apply([{ collection: things, document: { id: 'thing0' }, position: 205n }], 205n);
  await store.close();
  return documents.length === 200 ? 'whole' : 'in part';
}

/** The error for a file that was cut, and whether it starts empty if told to. */
async function told(bytes: Buffer): Promise<Readonly<{ message: string; isEmpty: boolean }>> {
  writeFileSync(file, bytes);
  const refused: unknown = await openEmbeddedReadModel(directory).catch((error: unknown) => error);
  const store = await openEmbeddedReadModel(directory, { discardUnreadable: true });
  const isEmpty = (await store.state()).position === 0n;
  await store.close();
  return { message: refused instanceof Error ? refused.message : 'it was opened', isEmpty };
}

/** What becomes of the file, cut at every ninth page and opened twice. */
async function main(): Promise<void> {
  const original = readFileSync(file);
  const outcomes: string[] = [];
  for (let length = 8192; length < original.length; length += 9 * 4096) {
    writeFileSync(file, original.subarray(0, length));
    outcomes.push(await outcome(), await outcome());
  }
  const half = await told(original.subarray(0, original.length / 2));
  const header = await told(original.subarray(0, 8192));
  process.stdout.write(JSON.stringify({ outcomes, half, header }));
}

void main();
