import { isPassing, SvcCursorError } from '../../sdk/src/errors.ts';
import { followStream, type OpenStream, type StreamedEvent } from '../../sdk/src/event-stream.ts';
import { pause } from '../../sdk/src/pause.ts';

export type LiveState = Readonly<{
  state: 'connecting' | 'live' | 'lost';
  /** When the service was last heard from, by Date.now(). */
  heardAt: number | undefined;
}>;

type TabMessage<T> =
  | Readonly<{ kind: 'event'; event: StreamedEvent<T> }>
  | Readonly<{ kind: 'state'; state: LiveState }>
  /** Another tab follows the feed from now on, from its end: events in between were missed by all tabs. */
  | Readonly<{ kind: 'caught_up' }>
  | Readonly<{ kind: 'question' }>;

export type LiveOptions<T> = Readonly<{
  /** Tabs that use the same name share one connection. */
  name: string;
  open: OpenStream;
  /** Where the feed ends now: the page reads the current state, so earlier events are not needed. */
  newest: (signal: AbortSignal) => Promise<number>;
  onEvent: (event: StreamedEvent<T>) => void;
  /** Called on connecting and after an interruption: events may have been missed. */
  onCaughtUp: () => void;
  /** The service refused the feed, for example because the session ended. */
  onRefused: (error: unknown) => void;
}>;

/**
 * The service's feed, followed by one tab on behalf of all: browsers allow six connections per host, and a stream
 * occupies one. The tab that holds the lock follows the feed and passes the events on to the others.
 */
export class LiveFeed<T> {
  #state: LiveState = { state: 'connecting', heardAt: undefined };
  readonly #listeners = new Set<() => void>();
  readonly #ended = new AbortController();
  readonly #others: BroadcastChannel;

  constructor(private readonly options: LiveOptions<T>) {
    this.#others = new BroadcastChannel(`svc-live-${options.name}`);
    this.#others.onmessage = ({ data }: MessageEvent<TabMessage<T>>) => this.#receive(data);
    this.#broadcast({ kind: 'question' });
    void this.#whileLeading(() => this.#follow());
  }

  get state(): LiveState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  stop(): void {
    this.#ended.abort();
    this.#others.close();
    this.#listeners.clear();
  }

  /** Browsers offer locks only over https and on localhost; elsewhere every tab follows the feed itself. */
  async #whileLeading(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#ended;
    const locks = (navigator as { locks?: LockManager }).locks;
    try {
      if (locks === undefined) await work();
      else await locks.request(`svc-live-${this.options.name}`, { signal }, work);
    } catch (error) {
      if (signal.aborted) return;
      // No tab follows the feed now, unless another one has taken over: that one broadcasts its state.
      this.#follows = false;
      this.#set({ ...this.#state, state: 'lost' });
      this.options.onRefused(error);
    }
  }

  #follows = false;

  async #follow(): Promise<void> {
    const { open, newest, onEvent, onCaughtUp } = this.options;
    const { signal } = this.#ended;
    this.#follows = true;
    const since = await this.#newestCursor(newest, signal);
    if (since === undefined) return;
    const onActivity = (): void => {
      if (this.#state.state === 'lost') onCaughtUp();
      this.#setAndBroadcast({ state: 'live', heardAt: Date.now() });
    };
    // Something may have happened between the page's first reads and this point.
    onCaughtUp();
    this.#broadcast({ kind: 'caught_up' });
    onActivity();
    const interrupted = (): void => this.#setAndBroadcast({ ...this.#state, state: 'lost' });
    const events = followStream<T>(open, { since, signal, onHeard: onActivity, onInterruption: interrupted });
    try {
      for await (const event of events) {
        onEvent(event);
        this.#broadcast({ kind: 'event', event });
      }
    } catch (error) {
      // The service was restored from an older backup: start again where its feed ends now.
      if (!(error instanceof SvcCursorError)) throw error;
      await this.#follow();
    }
  }

  async #newestCursor(newest: LiveOptions<T>['newest'], signal: AbortSignal): Promise<number | undefined> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        return await newest(signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!isPassing(error)) throw error;
        this.#setAndBroadcast({ ...this.#state, state: 'lost' });
        await pause(Math.min(15_000, 500 * 2 ** failures), signal);
      }
    }
    return undefined;
  }

  #receive(message: TabMessage<T>): void {
    if (message.kind === 'event') this.options.onEvent(message.event);
    if (message.kind === 'caught_up') this.options.onCaughtUp();
    if (message.kind === 'question' && this.#follows) this.#broadcast({ kind: 'state', state: this.#state });
    if (message.kind !== 'state') return;
    if (this.#state.state === 'lost' && message.state.state === 'live') this.options.onCaughtUp();
    this.#set(message.state);
  }

  #setAndBroadcast(state: LiveState): void {
    this.#set(state);
    this.#broadcast({ kind: 'state', state });
  }

  #set(state: LiveState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #broadcast(message: TabMessage<T>): void {
    if (!this.#ended.signal.aborted) this.#others.postMessage(message);
  }
}
