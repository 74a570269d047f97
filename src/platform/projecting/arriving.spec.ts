import { type Clock } from '../../kernel/clock';
import { type EventStore, LOG_START, type SubscribeOptions } from '../event-store/event-store.port';
import { arriving } from './arriving';
import { Lag } from './lag';
import { Progress } from './progress';

describe('the lag behind a log elsewhere', () => {
  let now: number;
  let lag: Lag;
  let reported: SubscribeOptions;
  beforeEach(async () => {
    [now, lag] = [0, new Lag()];
    const clock: Clock = { now: () => new Date(now) };
    const store = {
      subscribe: async function* (_: unknown, options: SubscribeOptions) {
        reported = options;
      },
    } as unknown as EventStore;
    lag.begin(clock.now());
    const log = { info: () => undefined, warn: () => undefined };
    const watched = { lag, progress: new Progress(), clock, log };
    const from = { position: LOG_START, event: undefined };
    await arriving(store, from, new AbortController().signal, watched).next();
  });
  const after = (seconds: number): number => lag.seconds(new Date((now += seconds * 1_000)));

  it('grows from the moment the connection is lost until all has arrived again', () => {
    reported.onCaughtUp?.(true);
    expect(after(5)).toBe(0);
    reported.onLost?.();
    expect(after(7)).toBe(7);
    reported.onCaughtUp?.(true);
    expect(after(1)).toBe(0);
  });

  it('keeps growing while only a node that is not the leader answers: nothing can be written, and it may lack events', () => {
    reported.onCaughtUp?.(true);
    reported.onLost?.();
    reported.onCaughtUp?.(false);
    expect(after(60)).toBe(60);
  });
});
