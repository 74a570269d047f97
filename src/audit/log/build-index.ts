import { type EventStore } from '../../platform/event-store/event-store.port';
import { type ReadModelStore } from '../../platform/read-model/read-model.port';
import { AuditIndex } from './audit-index';

const PAGE = 500;

/** Brings the stored tree and feeds up to the log's current end, for programs that run without the service. */
export async function buildAuditIndex(store: EventStore, model: ReadModelStore): Promise<number> {
  const index = new AuditIndex(store, model);
  let position = await index.open();
  for (;;) {
    const page = await store.readAll(position, PAGE);
    for (const event of page) await index.see(event);
    await index.flush();
    const last = page.at(-1);
    if (last === undefined) return index.size;
    position = last.position;
  }
}
