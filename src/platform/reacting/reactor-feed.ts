import { setMaxListeners } from 'node:events';
import { type Clock, systemClock, timestamp } from '../../kernel/clock';
import { roughInterval } from '../../kernel/rough-pause';
import { serveRetryRequests } from './retry-requests';
import { type EventStore, LOG_START, type Position } from '../event-store/event-store.port';
import {
  type Bookmarks,
  lowest,
  RETRY_POLICY,
  type RetryPolicy,
  type Reactor,
  ReactorLane,
  type ReactorLog,
} from './reactor';

const BOOKMARK_INTERVAL_MS = 1_000;

/** One subscription for all reactors: an event that none of them wants costs one lookup, however many there are. */
export class ReactorFeed {
  position: Position = LOG_START;
  private readonly stopping = new AbortController();
  private readonly savedBookmarks = new Map<ReactorLane, Position>();
  private lanes: readonly ReactorLane[] = [];
  private running: readonly Promise<void>[] = [];
  private stopSaving = (): void => undefined;
  /** Since when nothing can arrive; undefined while everything does. */
  private lostAt: string | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly bookmarks: Bookmarks,
    private readonly reactors: readonly Reactor[],
    private readonly log: ReactorLog,
    private readonly retryPolicy: RetryPolicy = RETRY_POLICY,
    private readonly clock: Clock = systemClock,
  ) {}

  async start(): Promise<void> {
    const { signal } = this.stopping;
    // Every reactor listens for the abort.
    setMaxListeners(0, signal);
    const from = await Promise.all(this.reactors.map(({ name }) => this.bookmarks.bookmark(name)));
    this.position = lowest(from);
    this.lanes = this.reactors.map((reactor, at) => {
      const lane = new ReactorLane(
        reactor,
        this.store,
        this,
        from[at] ?? LOG_START,
        this.log,
        this.bookmarks,
        this.retryPolicy,
      );
      this.savedBookmarks.set(lane, from[at] ?? LOG_START);
      return lane;
    });
    await Promise.all(this.lanes.map((lane) => lane.open()));
    this.running = [
      this.follow(signal),
      ...this.lanes.map((lane) => lane.run(signal)),
      ...this.lanes.map((lane) => lane.retryPeriodically(signal)),
      serveRetryRequests(
        this.bookmarks,
        () => this.setAside,
        () => this.retrySetAside(),
        signal,
      ),
    ];
    this.stopSaving = roughInterval(() => void this.saveBookmarks(), BOOKMARK_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.stopSaving();
    await Promise.all(this.running);
    // Waits for a retry in progress; since the abort, no further event is tried.
    await this.retrySetAside();
    await this.saveBookmarks();
  }

  /** How many events are set aside because their reactor kept failing at them. */
  get setAside(): number {
    return this.lanes.reduce((sum, lane) => sum + lane.setAside, 0);
  }

  async retrySetAside(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.retrySetAside(this.stopping.signal)));
  }

  /** When the oldest event that some reactor has not handled yet occurred, or could have; undefined if there is none. */
  behindSince(): string | undefined {
    const all = [this.lostAt, ...this.lanes.map((lane) => lane.behindSince())];
    const moments = all.filter((moment) => moment !== undefined);
    return moments.sort()[0];
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const byType = new Map<string, ReactorLane[]>();
    this.reactors.forEach(({ types }, at) => {
      for (const type of types) byType.set(type, [...(byType.get(type) ?? []), this.lanes[at] as ReactorLane]);
    });
    const onLost = (): void => void (this.lostAt ??= timestamp(this.clock.now()));
    // Until it has caught up for the first time, too: the log may be away, or not reach this far since it was restored.
    onLost();
    await this.untilLogReaches(signal);
    const onRefused = (err: unknown): void => this.refused(err, { position: String(this.position) });
    // A node that is not the leader may lack events.
    const onCaughtUp = (isCertain: boolean): void => void (isCertain && (this.lostAt = undefined));
    for await (const event of this.store.subscribe(this.position, { signal, onCaughtUp, onLost, onRefused })) {
      for (const lane of byType.get(event.type) ?? []) lane.offer(event, this.position);
      this.position = event.position;
    }
  }

  /**
   * The feed begins at the slowest reactor's position. A reactor whose position is beyond the end of a restored log
   * would skip new events until the log has grown past it: so this first checks that the log reaches the fastest
   * reactor.
   */
  private async untilLogReaches(signal: AbortSignal): Promise<void> {
    const [first] = [...this.lanes].sort((one, other) => (one.reached < other.reached ? 1 : -1));
    if (first === undefined || first.reached === this.position) return;
    const position = first.reached;
    const reachedEnd = new AbortController();
    // A follower may lag, so it proves nothing: only the leader can confirm the position.
    const onCaughtUp = (isCertain: boolean): void => void (isCertain && reachedEnd.abort());
    const onRefused = (err: unknown): void => this.refused(err, { reactor: first.name, position: String(position) });
    const options = { signal: AbortSignal.any([signal, reachedEnd.signal]), onCaughtUp, onRefused };
    for await (const _ of this.store.subscribe(position, options)) return;
  }

  private refused(err: unknown, where: object): void {
    this.log.warn({ err, ...where }, 'reactors cannot follow the log from here, trying again');
  }

  /** A stale bookmark only causes events to be handled again, so a failed write is left to the next round. */
  private async saveBookmarks(): Promise<void> {
    await Promise.all(
      this.lanes.map(async (lane) => {
        const { reached } = lane;
        if (reached === this.savedBookmarks.get(lane)) return;
        await this.bookmarks.setBookmark(lane.name, reached).then(
          () => this.savedBookmarks.set(lane, reached),
          () => undefined,
        );
      }),
    );
  }
}
