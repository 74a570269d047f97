import { Inject, Injectable } from '../injection';
import { type Logger } from 'pino';
import { LOGGER } from '../logging/logger';
import { CLOCK, type Clock } from '../../kernel/clock';
import { Leadership } from './leadership';
import { READ_MODEL_STORE, type ReadModelStore } from '../read-model/read-model.port';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../event-store/event-store.port';
import { RETRY_POLICY, TemporaryFailure, type Reactor } from './reactor';
import { ReactorFeed } from './reactor-feed';

/** Where capabilities register their reactors, in onModuleInit; they start when the whole service is wired. */
@Injectable()
export class Reactors {
  private readonly reactors: Reactor[] = [];
  private feed: ReactorFeed | undefined;

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL_STORE) private readonly readStore: ReadModelStore,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly leadership: Leadership,
  ) {}

  add(reactor: Reactor): void {
    this.reactors.push(reactor);
  }

  /** Can be called again after a stop. */
  async start(): Promise<void> {
    const reactors = this.reactors.map((reactor) => ({ ...reactor, react: this.whileLeading(reactor) }));
    this.feed = new ReactorFeed(this.store, this.readStore, reactors, this.logger, RETRY_POLICY, this.clock);
    await this.feed.start();
  }

  async stop(): Promise<void> {
    await this.feed?.stop();
    this.feed = undefined;
  }

  /**
   * Runs the reactors of this event now, before the response. They will handle the event again later, which is
   * harmless, and complete what is interrupted here.
   */
  async followUp(event: RecordedEvent): Promise<void> {
    const concerned = this.reactors.filter(({ types }) => types.includes(event.type));
    await Promise.all(concerned.map((reactor) => reactor.react(event)));
  }

  /** How many events are set aside because a reactor kept failing at them; 0 where another instance reacts. */
  setAside(): number {
    return this.feed?.setAside ?? 0;
  }

  /** Retries at once what was set aside. */
  async retrySetAside(): Promise<void> {
    await this.feed?.retrySetAside();
  }

  lagSeconds(): number {
    const since = this.feed?.behindSince();
    return since === undefined ? 0 : Math.max(0, (this.clock.now().getTime() - Date.parse(since)) / 1000);
  }

  /** An instance that was paused must not continue after another has taken over; it is about to be stopped. */
  private whileLeading(reactor: Reactor): Reactor['react'] {
    return async (event) => {
      if (!this.leadership.leads()) throw new TemporaryFailure('another instance may be doing this by now');
      await reactor.react(event);
    };
  }
}
