import { join } from 'node:path';
import type * as Run from '../../src/app/secret/run';
import type * as Embedded from '../../src/platform/event-store/embedded/embedded-event-store';
import type * as Engine from '../../src/platform/event-store/eventstoredb/eventstoredb-store';

// A program: replaces the service secret, and kills itself before step number DIE_AT of those that change a file or
// store (an append is two: before it, and before its result returns), or after an append to DIE_AFTER_APPEND_TO.
const load = <T>(file: string): T => module.require(join(__dirname, '../..', 'dist/src', file)) as T;
const dieAt = Number(process.env['DIE_AT']);
let steps = 0;

function step(): void {
  steps += 1;
  if (steps === dieAt) process.kill(process.pid, 'SIGKILL');
}

/** A directory's lock does not count as a change in it. */
const isLock = (path: unknown): boolean => /[\\/]lock(\.|$)/.test(String(path));

type Functions = Record<string, (...args: unknown[]) => unknown>;

function count(
  functions: unknown,
  name: string,
  counts: (self: unknown, args: unknown[]) => boolean = () => true,
): void {
  const own = functions as Functions;
  const original = own[name];
  if (original === undefined) throw new Error(`there is no ${name}`);
  own[name] = function (this: unknown, ...args) {
    if (counts(this, args) && !isLock(args[0])) step();
    return original.apply(this, args);
  };
}

for (const name of ['linkSync', 'renameSync', 'rmSync', 'writeFileSync', 'writeSync'])
  count(module.require('node:fs'), name);
for (const name of ['link', 'rename', 'rm']) count(module.require('node:fs/promises'), name);
count(module.require('node:fs/promises'), 'open', (_, [, flags]) => flags !== 'r');
// The engines' clients take half of a start, so they are loaded only if the rotation uses them.
if (process.env['READ_STORE'] === 'mongodb') {
  const { Collection } = module.require('mongodb') as { Collection: { prototype: unknown } };
  count(Collection.prototype, 'updateOne', (self) =>
    (self as { collectionName: string }).collectionName.includes('keys'),
  );
}

function countAppends(prototype: Functions): void {
  const append = prototype['append'] as (...args: unknown[]) => Promise<unknown>;
  prototype['append'] = async function (this: unknown, ...args) {
    step();
    const result = await append.apply(this, args);
    step();
    if (args[0] === process.env['DIE_AFTER_APPEND_TO']) process.kill(process.pid, 'SIGKILL');
    return result;
  };
}

async function main(): Promise<void> {
  if (process.env['EVENT_STORE'] === 'eventstoredb') {
    const { openEventStoreDb } = load<typeof Engine>('platform/event-store/eventstoredb/eventstoredb-store');
    const engine = await openEventStoreDb('esdb://127.0.0.1:1?tls=false');
    countAppends(Object.getPrototypeOf(engine) as Functions);
    await engine.close();
  } else {
    const { EmbeddedEventStore } = load<typeof Embedded>('platform/event-store/embedded/embedded-event-store');
    countAppends(EmbeddedEventStore.prototype as unknown as Functions);
  }
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  process.exit(await load<typeof Run>('app/secret/run').runSecret(['rotate'], process.env, { out: tell, note: tell }));
}

void main();
