import {
  type EventStore,
  LOG_START,
  type Position,
  type RecordedEvent,
} from '../../platform/event-store/event-store.port';
import { progressBar } from '../../platform/logging/progress-bar';

const PAGE_SIZE = 500;

export type ScanOptions = Readonly<{ label: string; until?: Position | undefined; most?: number }>;

/** The log from its start to its current end, page by page, with a progress bar on a terminal. */
export async function* scan(
  store: EventStore,
  { label, until, most = Infinity }: ScanOptions,
): AsyncGenerator<RecordedEvent, void> {
  const end = until ?? (await store.head());
  const bar = progressBar(label);
  let position = LOG_START;
  let count = 0;
  try {
    while (count < most && position < end) {
      const page = await store.readAll(position, Math.min(PAGE_SIZE, most - count));
      if (page.length === 0) return;
      for (const event of page) {
        if (event.position > end) return;
        yield event;
        count += 1;
        position = event.position;
      }
      bar.show(count, position, end);
    }
  } finally {
    bar.done(`${count} events read`);
  }
}
