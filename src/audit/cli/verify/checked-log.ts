import { type EventStore, type Position, type RecordedEvent } from '../../../platform/event-store/event-store.port';
import { parseStreamName, streamName } from '../../../platform/event-store/stream-name';
import { RecentlyUsed } from '../../../kernel/recently-used';
import { type Findings } from './findings';
import { invariants } from './invariants';
import { ownStreams } from './invariants/own-streams';
import { type Log } from './invariant';
import { type Category, type IdOf, isCategory } from '../../../kernel/aggregates';

const MAX_CACHED_STREAMS = 64;

/**
 * Checks each stream as a whole when its first event comes up, and then drops it: however long the log is, only a few
 * streams are in memory.
 */
export class CheckedLog implements Log {
  private readonly recent = new RecentlyUsed<string, Promise<readonly RecordedEvent[]>>(MAX_CACHED_STREAMS);
  private judged = 0;

  constructor(
    private readonly store: Pick<EventStore, 'readStream' | 'readAll'>,
    private readonly end: Position,
    private readonly findings: Findings,
  ) {}

  async check(event: RecordedEvent): Promise<void> {
    if (event.version !== 1) return;
    const events = await this.read(event.stream);
    this.judged += events.length;
    const { category } = parseStreamName(event.stream);
    if (!isCategory(category)) this.findings.event(ownStreams.name, event, `there is no category ${category}`);
    for (const { name, categories, breaches } of invariants) {
      if (!categories.some((one) => one === category)) continue;
      try {
        for await (const { event: at, what } of breaches(events, this)) this.findings.event(name, at, what);
      } catch (error) {
        // A stream that is too broken to be checked is a finding, too.
        this.findings.event(
          name,
          event,
          `it cannot be checked: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  }

  /** Events of a stream that has no first event were never checked. */
  done(seen: number): void {
    if (seen === this.judged) return;
    this.findings.add('whole-streams', 'the log', `${seen} events are in the log, but ${this.judged} in its streams`);
  }

  stream<C extends Category>(category: C, id: IdOf<NoInfer<C>>): Promise<readonly RecordedEvent[]> {
    const name = streamName(category, id);
    const known = this.recent.get(name) ?? this.read(name);
    this.recent.set(name, known);
    return known;
  }

  async next({ position }: RecordedEvent): Promise<RecordedEvent | undefined> {
    const [next] = await this.store.readAll(position, 1);
    return next && next.position <= this.end ? next : undefined;
  }

  private async read(stream: string): Promise<readonly RecordedEvent[]> {
    const events = await this.store.readStream(stream);
    return events.at(-1) && (events.at(-1)?.position ?? 0n) > this.end
      ? events.filter(({ position }) => position <= this.end)
      : events;
  }
}
