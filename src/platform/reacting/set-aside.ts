import {
  type EventStore,
  LOG_START,
  type Position,
  type RecordedEvent,
  StoreUnavailable,
} from '../event-store/event-store.port';
import { ASIDE } from '../read-model/max-bookmark';
import { type Bookmarks } from './reactor';

/** An event that a reactor could not handle, and where to begin reading to find it again. */
type Aside = Readonly<{ slot: number; event: RecordedEvent; before: Position }>;

/** With more than this, single events are not the cause: the reactor waits, as it does when a store is unavailable. */
export const MAX_SET_ASIDE = 100;

/**
 * What a reactor keeps failing at, so that it can continue with other streams. Later events of the same stream join it,
 * so that they stay in order. It is stored with the bookmarks, as positions to read from, and survives the process.
 */
export class SetAside {
  private readonly asides = new Map<Position, Aside>();
  /** Slots of events that could not be found: they must not be reused. */
  private readonly unread = new Set<number>();
  /** One attempt at a time: two would handle the same events concurrently, and out of order. */
  private trying: Promise<void> = Promise.resolve();

  constructor(
    private readonly name: string,
    private readonly types: ReadonlySet<string>,
    private readonly store: EventStore,
    private readonly bookmarks: Bookmarks,
  ) {}

  get size(): number {
    return this.asides.size;
  }

  /** Whether an event of the same stream is set aside already. */
  waitsFor({ stream }: RecordedEvent): boolean {
    return [...this.asides.values()].some(({ event }) => event.stream === stream);
  }

  /** Loads what was set aside before this process started. */
  async open(): Promise<void> {
    for (let slot = 0; slot < MAX_SET_ASIDE; slot += 1) {
      const mark = await this.bookmarks.bookmark(slotName(this.name, slot));
      // Slots are filled from the first one on: one that was never used ends the search.
      if (mark === LOG_START) return;
      if (!isTaken(mark)) continue;
      const before = mark >> 1n;
      const event = await this.firstAfter(before);
      if (event !== undefined) this.asides.set(event.position, { slot, event, before });
      // A lagging node may not have it yet. If the reactor no longer handles its type, it stays for a later version.
      else if ((await this.store.head()) <= before) throw new StoreUnavailable('unknown', new Error('the log lags'));
      else this.unread.add(slot);
    }
  }

  /** False if no slot is free. `before` is a log position with nothing else for this reactor up to the event. */
  async add(event: RecordedEvent, before: Position): Promise<boolean> {
    // A process set it aside and died before it moved its bookmark past the event.
    if (this.asides.has(event.position)) return true;
    const used = new Set([...this.unread, ...[...this.asides.values()].map(({ slot }) => slot)]);
    for (let slot = 0; slot < MAX_SET_ASIDE; slot += 1) {
      if (used.has(slot)) continue;
      await this.bookmarks.setBookmark(slotName(this.name, slot), taken(before));
      // Bookmarks never move back: a slot that was last used for a later event cannot take this one.
      if ((await this.bookmarks.bookmark(slotName(this.name, slot))) !== taken(before)) continue;
      this.asides.set(event.position, { slot, event, before });
      return true;
    }
    return false;
  }

  /** Retries everything in log order; if the first event of a stream fails again, the whole stream waits. */
  retryAll(react: (event: RecordedEvent) => Promise<void>): Promise<void> {
    this.trying = this.trying.then(() => this.tryAll(react));
    return this.trying;
  }

  private async tryAll(react: (event: RecordedEvent) => Promise<void>): Promise<void> {
    const failed = new Set<string>();
    const waiting = [...this.asides.values()].sort((one, other) =>
      one.event.position < other.event.position ? -1 : 1,
    );
    for (const { slot, event, before } of waiting) {
      if (failed.has(event.stream)) continue;
      try {
        await react(event);
        await this.bookmarks.setBookmark(slotName(this.name, slot), taken(before) + 1n);
        this.asides.delete(event.position);
      } catch {
        failed.add(event.stream);
      }
    }
  }

  private async firstAfter(before: Position): Promise<RecordedEvent | undefined> {
    for (let position = before; ;) {
      const page = await this.store.readAll(position, 256);
      const found = page.find(({ type }) => this.types.has(type));
      const last = page.at(-1);
      if (found !== undefined || last === undefined) return found;
      position = last.position;
    }
  }
}

/** How many events are set aside for a reactor, as every process on the store sees it. */
export async function countAside(name: string, bookmarks: Bookmarks): Promise<number> {
  let count = 0;
  for (let slot = 0; slot < MAX_SET_ASIDE; slot += 1) {
    const mark = await bookmarks.bookmark(slotName(name, slot));
    if (mark === LOG_START) break;
    if (isTaken(mark)) count += 1;
  }
  return count;
}

const slotName = (name: string, slot: number): string => `${name}${ASIDE}${slot}`;

/** Bookmarks only move forward: an odd mark says that the slot is taken, the next even one that it was freed. */
const taken = (before: Position): Position => before * 2n + 1n;
const isTaken = (mark: Position): boolean => mark % 2n === 1n;
