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
import { issuedSecrets, leaks, searchIn, throwOnLeaks } from './issued-secrets';

export type Searched = Readonly<{
  app: Service['app'];
  dataDir: string;
  log: () => string;
  /** The head of the event log when the service started. */
  since: Position;
}>;

const PAGE = 1_000;

/** Searches everything a service stores or outputs for secrets. Throws with kinds and places, never with secrets. */
export async function searchForSecrets(searched: Searched): Promise<void> {
  noteMailedSecrets(searched);
  searchIn('the log', searched.log());
  searchIn('the metrics', await searched.app.get(Metrics).registry.metrics());
  await unlessAway(searchEvents(searched));
  await unlessAway(searchReadModel(searched));
  searchMails(searched);
  figure({ promise: 'secrets stay where they belong', tried: issuedSecrets.size, lost: leaks.length, doubled: 0 });
  throwOnLeaks();
}

/** Some suites remove a store and stop the service without it; the rest can still be searched. */
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
  for (const { link } of outboxOf(searched)) issuedSecrets.noteAllIn(link);
}

/** A mail may contain only the one link that it was written for. */
function searchMails(searched: Searched): void {
  for (const { to, subject, text, link } of outboxOf(searched)) {
    const [own = ''] = LINK.exec(link) ?? [];
    const rest = [to, subject, text.replaceAll(own, ''), link.replaceAll(own, '')].join('\n');
    searchIn('a mail it does not belong to', rest);
  }
}
