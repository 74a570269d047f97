import { projections } from '../../../projections';
import {
  EVENT_STORE,
  type EventStore,
  type Position,
  StoreUnavailable,
} from '../../../src/platform/event-store/event-store.port';
import { Metrics } from '../../../src/http/operations/metrics';
import { READ_MODEL_STORE, type ReadModelStore } from '../../../src/platform/read-model/read-model.port';
import { type Service } from '../../../src/app/service';
import { figure } from '../figures';
import { outboxOf } from '../outbox';
import { handedOut, leaks, searchIn, tellLeaks } from './handed-out';

export type Searched = Readonly<{
  app: Service['app'];
  dataDir: string;
  log: () => string;
  /** Where the log of events stood when the service began. */
  since: Position;
}>;

const PAGE = 1_000;

/** Looks into everything a service keeps or tells for what it has handed out. Throws with kinds and places, never with secrets. */
export async function searchForSecrets(searched: Searched): Promise<void> {
  noteMailedSecrets(searched);
  searchIn('the log', searched.log());
  searchIn('the metrics', await searched.app.get(Metrics).registry.metrics());
  await unlessAway(searchEvents(searched));
  await unlessAway(searchReadModel(searched));
  searchMails(searched);
  figure({ promise: 'secrets stay where they belong', tried: handedOut.size, lost: leaks.length, doubled: 0 });
  tellLeaks();
}

/** Some suites take a store away and stop the service without it; what was told can be searched all the same. */
async function unlessAway(searching: Promise<void>): Promise<void> {
  try {
    await searching;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}

async function searchEvents({ app, since }: Searched): Promise<void> {
  const store = app.get<EventStore>(EVENT_STORE);
  for (let position = since; ;) {
    const page = await store.readAll(position, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    for (const { type, data, metadata } of page) searchIn(`an event ${type}`, JSON.stringify([data, metadata]));
    position = last.position;
  }
}

async function searchReadModel({ app }: Searched): Promise<void> {
  const store = app.get<ReadModelStore>(READ_MODEL_STORE);
  for (const collection of projections.flatMap(({ collections }) => collections)) {
    for await (const { document } of store.dump(collection)) {
      searchIn(`a document of ${collection.name}`, JSON.stringify(document));
    }
  }
}

const LINK = /svc_el_[\w-]+/;

function noteMailedSecrets(searched: Searched): void {
  for (const { link } of outboxOf(searched)) handedOut.noteAllIn(link);
}

/** A mail may hold the one link it was written for. */
function searchMails(searched: Searched): void {
  for (const { to, subject, text, link } of outboxOf(searched)) {
    const [own = ''] = LINK.exec(link) ?? [];
    const rest = [to, subject, text.replaceAll(own, ''), link.replaceAll(own, '')].join('\n');
    searchIn('a mail it does not belong to', rest);
  }
}
