import { type EventStore } from '../../platform/event-store/event-store.port';
import { type ReadModelStore } from '../../platform/read-model/read-model.port';
import { AuditIndex } from './audit-index';

const PAGE_SIZE = 500;

/** Brings the stored tree and feeds up to date with the log, for programs that run without the service. */
export async function buildAuditIndex(store: EventStore, model: ReadModelStore): Promise<number> {
  const index = new AuditIndex(store, model);
  let position = await index.open();
  for (;;) {
    const page = await store.readAll(position, PAGE_SIZE);
    for (const event of page) await index.add(event);
    await index.flush();
    const last = page.at(-1);
    if (last === undefined) return index.size;
    position = last.position;
  }
}
