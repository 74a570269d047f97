import { openEmbeddedEventStore } from '../../src/platform/event-store/embedded/open-embedded-event-store';
import { type EventStore, StoreUnavailable } from '../../src/platform/event-store/event-store.port';
import { newId } from '../../src/kernel/ids';
import { newEvents } from './events';
import { type Report } from './writing-process';

// A program: writes to the embedded store in the given directory and reports each result, until it is killed.
const WRITERS = 16;
const CONTENDED = 'contended-by-all';

// Pipes are written synchronously, so the reader has a line when write returns: a kill loses nothing reported.
const report = (line: Report): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

async function write(store: EventStore): Promise<never> {
  const versions = new Map<string, number>();
  const own = `owned-${newId('txn')}`;
  for (let turn = 0; ; turn += 1) {
    const stream = turn % 4 === 0 ? CONTENDED : own;
    const known = versions.get(stream) ?? 0;
    const events = newEvents(1 + (turn % 3));
    try {
      const result = await store.append(stream, known, events);
      if (result.kind === 'appended') {
        versions.set(stream, result.version);
        report({
          kind: 'appended',
          stream,
          version: result.version,
          ids: events.map((event) => event.metadata.event_id),
        });
      } else {
        versions.set(stream, known + (await store.readStream(stream, known)).length);
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      report({ kind: 'unavailable' });
      versions.set(stream, (await store.readStream(stream)).length);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

async function main(directory: string): Promise<void> {
  const store = await openEmbeddedEventStore(directory);
  report({ kind: 'ready' });
  await Promise.all(Array.from({ length: WRITERS }, () => write(store)));
}

void main(process.argv[2] ?? '');
