import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projections } from '../../projections';
import { buildAuditIndex } from '../../src/audit/log/build-index';
import { verifyAll } from '../../src/audit/cli/verify/verify';
import { EmbeddedEventStore } from '../../src/platform/event-store/embedded/embedded-event-store';
import { EventLog } from '../../src/platform/event-store/embedded/event-log';
import { openTables } from '../../src/platform/event-store/embedded/log-tables';
import { type EventStore, LOG_START, type RecordedEvent } from '../../src/platform/event-store/event-store.port';
import { systemClock } from '../../src/kernel/clock';
import { openEmbeddedReadModel } from '../../src/platform/read-model/embedded/open';
import { Projector } from '../../src/platform/projecting/projector';
import { type ReadModelStore } from '../../src/platform/read-model/read-model.port';
import { someMetadata } from './events';

const quiet = { info: () => undefined, warn: () => undefined };

/** A copy of a service's stores, to which a test writes what the service itself never would. */
export type Seeded = Readonly<{
  store: EventStore;
  model: ReadModelStore;
  events: readonly RecordedEvent[];
  /** The newest event of a type. */
  one<T>(type: string): RecordedEvent & { data: T };
  /** Appends to the stream; `at` is the time that the event claims. */
  add(stream: string, type: string, data: object, at?: string): Promise<void>;
}>;

export type Seed = (seeded: Seeded) => Promise<EventStore | void>;

/** `[invariant, where]` of everything that verify finds after the seed, with up-to-date read models. */
export async function findingsAfter(dataDir: string, seed: Seed, tamper?: Seed): Promise<[string, string][]> {
  const copy = mkdtempSync(join(tmpdir(), 'svc-seeded-'));
  const file = join(copy, 'events.mdb');
  cpSync(join(dataDir, 'events/events.mdb'), file);
  // The log alone: the read model is made anew below.
  const store = new EmbeddedEventStore(new EventLog(file, openTables(file, 'write')), () => undefined);
  const model = await openEmbeddedReadModel(join(copy, 'read-model'));
  try {
    const events = await store.readAll(LOG_START, 100_000);
    const seeded: Seeded = {
      store,
      model,
      events,
      one: <T>(type: string) => events.findLast((event) => event.type === type) as RecordedEvent & { data: T },
      add: async (stream, type, data, at) => {
        const metadata = { ...someMetadata(), ...(at === undefined ? {} : { occurred_at: at }) };
        const version = (await store.readStream(stream)).length;
        await store.append(stream, version, [{ type, data, metadata }]);
      },
    };
    const seen = (await seed(seeded)) ?? store;
    await new Projector(store, model, projections, systemClock, quiet).rebuild(() => undefined);
    await buildAuditIndex(store, model).catch(() => undefined);
    await tamper?.(seeded);
    const { findings } = await verifyAll(seen, model);
    return findings.kept.map(({ invariant, where }) => [invariant, where]);
  } finally {
    await model.close();
    await store.close();
    rmSync(copy, { recursive: true, force: true });
  }
}
