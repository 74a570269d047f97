import { type EventStore, type Position, type RecordedEvent } from '../../src/platform/event-store/event-store.port';

export type Follower = Readonly<{
  /** The events received so far, in order. */
  seen: readonly RecordedEvent[];
  /** How many events had been seen each time the store reported being caught up. */
  caughtUp: readonly number[];
  /** Resolves when the condition holds, checked after each event and catch-up; rejects if the iteration ends before. */
  until(condition: () => boolean): Promise<void>;
  /** Settles as the iteration does. */
  ended: Promise<void>;
  /** Aborts, and waits for the iteration to end. */
  stop(): Promise<void>;
}>;

export type FollowOptions = Readonly<{
  only?: (event: RecordedEvent) => boolean;
  /** Runs between two events; a slow one makes a slow consumer. */
  handle?: (event: RecordedEvent) => Promise<void>;
}>;

/** A consumer that keeps everything it is given. */
export function follow(store: EventStore, after: Position, options: FollowOptions = {}): Follower {
  const stopping = new AbortController();
  const seen: RecordedEvent[] = [];
  const caughtUp: number[] = [];
  const waiting = new Set<() => void>();
  const look = (): void => waiting.forEach((check) => check());

  const run = async (): Promise<void> => {
    const onCaughtUp = (): void => {
      caughtUp.push(seen.length);
      look();
    };
    for await (const event of store.subscribe(after, { signal: stopping.signal, onCaughtUp })) {
      if (options.only && !options.only(event)) continue;
      seen.push(event);
      look();
      await options.handle?.(event);
    }
  };
  const ended = run();
  ended.catch(() => undefined);

  return {
    seen,
    caughtUp,
    until: (condition) =>
      new Promise<void>((resolve, reject) => {
        const check = (): void => {
          if (!condition()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        ended.then(() => reject(new Error('the subscription ended')), reject);
      }),
    ended,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
