import { setMaxListeners } from 'node:events';
import { answerCalls } from './again-calls';
import { type EventStore, LOG_START, type Position } from '../event-store/event-store.port';
import { type Bookmarks, lowest, PATIENCE, type Patience, type Reactor, ReactorLane, type ReactorLog } from './reactor';

const KEEP_EVERY_MS = 1_000;

/** One subscription for all reactors: an event that none of them wants costs one lookup, however many there are. */
export class ReactorFeed {
  position: Position = LOG_START;
  private readonly stopping = new AbortController();
  private readonly kept = new Map<ReactorLane, Position>();
  private lanes: readonly ReactorLane[] = [];
  private running: readonly Promise<void>[] = [];
  private keeping: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly bookmarks: Bookmarks,
    private readonly reactors: readonly Reactor[],
    private readonly log: ReactorLog,
    private readonly patience: Patience = PATIENCE,
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
        this.patience,
      );
      this.kept.set(lane, from[at] ?? LOG_START);
      return lane;
    });
    await Promise.all(this.lanes.map((lane) => lane.open()));
    this.running = [
      this.follow(signal),
      ...this.lanes.map((lane) => lane.run(signal)),
      ...this.lanes.map((lane) => lane.tryNowAndThen(signal)),
      answerCalls(
        this.bookmarks,
        () => this.setAside,
        () => this.tryAgain(),
        signal,
      ),
    ];
    this.keeping = setInterval(() => void this.keep(), KEEP_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.keeping);
    await Promise.all(this.running);
    // Waits for an attempt that an operator called for; it tries nothing more by now.
    await this.tryAgain();
    await this.keep();
  }

  /** How many events are set aside because their reactor kept failing at them. */
  get setAside(): number {
    return this.lanes.reduce((sum, lane) => sum + lane.setAside, 0);
  }

  async tryAgain(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.tryAgain(this.stopping.signal)));
  }

  /** When the oldest event that some reactor has not handled yet occurred; undefined if there is none. */
  behindSince(): string | undefined {
    const moments = this.lanes.map((lane) => lane.behindSince()).filter((moment) => moment !== undefined);
    return moments.sort()[0];
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const byType = new Map<string, ReactorLane[]>();
    this.reactors.forEach(({ types }, at) => {
      for (const type of types) byType.set(type, [...(byType.get(type) ?? []), this.lanes[at] as ReactorLane]);
    });
    await this.untilLogReaches(signal);
    const onRefused = (err: unknown): void => this.refused(err, { position: String(this.position) });
    for await (const event of this.store.subscribe(this.position, { signal, onRefused })) {
      for (const lane of byType.get(event.type) ?? []) lane.offer(event, this.position);
      this.position = event.position;
    }
  }

  /**
   * The feed begins where the last of the reactors is. One that is further on, beyond the end of a restored log, would
   * pass over what is written until the log has grown past it: so the log is asked first whether it goes on from there.
   */
  private async untilLogReaches(signal: AbortSignal): Promise<void> {
    const [first] = [...this.lanes].sort((one, other) => (one.reached < other.reached ? 1 : -1));
    if (first === undefined || first.reached === this.position) return;
    const position = first.reached;
    const asked = new AbortController();
    // A node that does not lead may lag, so it is not held to the position: only the leader can tell.
    const onCaughtUp = (isCertain: boolean): void => void (isCertain && asked.abort());
    const onRefused = (err: unknown): void => this.refused(err, { reactor: first.name, position: String(position) });
    const options = { signal: AbortSignal.any([signal, asked.signal]), onCaughtUp, onRefused };
    for await (const _ of this.store.subscribe(position, options)) return;
  }

  private refused(err: unknown, where: object): void {
    this.log.warn({ err, ...where }, 'reactors cannot follow the log from here, trying again');
  }

  /** A stale bookmark only costs a repeat, so a failed write waits for the next round. */
  private async keep(): Promise<void> {
    await Promise.all(
      this.lanes.map(async (lane) => {
        const { reached } = lane;
        if (reached === this.kept.get(lane)) return;
        await this.bookmarks.setBookmark(lane.name, reached).then(
          () => this.kept.set(lane, reached),
          () => undefined,
        );
      }),
    );
  }
}
