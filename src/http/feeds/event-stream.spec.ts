import { Writable } from 'node:stream';
import { type Response } from 'express';
import { Draining } from '../server/draining';
import { refuse } from '../../kernel/errors';
import { type Projector } from '../../platform/projecting/projector';
import { EventStream } from './event-stream';
import { type Feed } from './feed';
import { NewsBell } from './news-bell';
import { SharedPages } from './shared-pages';

const STANDING = ['connection-con_1', 'agent-agt_1', 'wallet_device-dev_1'];

/** A connection whose other side reads when told to. */
class Reader extends Writable {
  received = '';
  reading = true;
  private taken: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 1024, decodeStrings: false });
  }
  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.received += chunk;
    if (this.reading) done();
    else this.taken = done;
  }
  take(): void {
    this.reading = true;
    this.taken?.();
  }
  status(): this {
    return this;
  }
  set(): this {
    return this;
  }
  flushHeaders(): void {}
}

describe('an event stream', () => {
  let pages = 0;
  let length = 0;
  let draining: Draining;
  let stream: EventStream;
  let bell: NewsBell;
  let shared: SharedPages;
  let feed: Feed;
  let listeners: ((events: readonly { stream: string }[]) => void)[] = [];
  const tell = (events: readonly { stream: string }[]): void => listeners.forEach((listener) => listener(events));

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    pages = 0;
    length = 0;
    draining = new Draining();
    listeners = [];
    const onApplied = (listener: typeof tell): number => listeners.push(listener);
    const projector = { onApplied } as unknown as Projector;
    bell = new NewsBell(projector, draining);
    bell.onModuleInit();
    feed = {
      key: 'con_1',
      standing: STANDING,
      page: async (since: number, limit: number) => {
        pages += 1;
        const events = Array.from({ length: Math.min(limit, length - since) }, (__, index) => ({
          cursor: since + index + 1,
        }));
        return { events, next_cursor: since + events.length, newest_cursor: length, has_more: false };
      },
    };
    shared = new SharedPages();
    stream = new EventStream(shared, bell);
  });
  afterEach(() => jest.useRealTimers());

  /** News are told in a later turn of the event loop, and a page is sent in one after that. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const later = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await jest.advanceTimersByTimeAsync(1_000);
      await settle();
    }
  };
  const serve = (reader: Reader, stillAllowed = async (): Promise<unknown> => true, since = 0) =>
    stream.serve(feed, since, stillAllowed, reader as unknown as Response);
  const grow = (by: number): void => {
    length += by;
    shared.forget('con_1');
    bell.news('con_1');
  };
  const last = ({ received }: Reader): number => Number([...received.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? 0);

  it('sends heartbeats, so that both sides notice when the other is gone', async () => {
    const reader = new Reader();
    const served = serve(reader);
    await settle();
    const hello = 'retry: 2000\nevent: opened\ndata:{"since":0,"newest_cursor":0}\n\n';
    expect(reader.received).toBe(hello);
    await later(31);
    expect(reader.received).toBe(`${hello}: still here\n\n: still here\n\n`);
    reader.destroy();
    await served;
  });

  it('begins with the feed’s newest cursor, so that a reader with a foreign cursor does not wait forever', async () => {
    length = 3;
    const [reader, stray] = [new Reader(), new Reader()];
    const served = [serve(reader), serve(stray, undefined, 99)];
    await settle();
    expect(reader.received).toMatch(/^retry: 2000\nevent: opened\ndata:{"since":0,"newest_cursor":3}\n\nid: 1\n/);
    expect(stray.received).toBe('retry: 2000\nevent: opened\ndata:{"since":99,"newest_cursor":3}\n\n');
    [reader, stray].forEach((one) => one.destroy());
    await Promise.all(served);
  });

  it('reads no further than its reader does', async () => {
    const reader = new Reader();
    reader.reading = false;
    length = 1000;
    const served = serve(reader);
    await settle();
    grow(1000);
    await settle();
    expect([last(reader), pages]).toEqual([0, 1]);
    reader.take();
    for (let page = 0; page < 20; page += 1) await settle();
    expect(last(reader)).toBe(2000);
    reader.destroy();
    await served;
  });

  it('disconnects a reader that reads nothing', async () => {
    const reader = new Reader();
    const served = serve(reader);
    await settle();
    reader.reading = false;
    grow(500);
    await later(29);
    expect([reader.destroyed, pages]).toEqual([false, 2]);
    await later(2);
    await served;
    expect(reader.destroyed).toBe(true);
  });

  it('ends before anything is shown to a caller that may not see it any more', async () => {
    const reader = new Reader();
    const served = serve(reader, async () => {
      throw refuse('connection_revoked');
    });
    await settle();
    grow(1);
    await served;
    expect([last(reader), reader.writableEnded]).toEqual([0, true]);
  });

  it('ends with the service', async () => {
    const reader = new Reader();
    const served = serve(reader);
    await settle();
    draining.begin();
    await served;
    expect(reader.writableEnded).toBe(true);
    const late = new Reader();
    await serve(late);
    expect(late.writableEnded).toBe(true);
  });

  it('sends no more of a long backlog once the service stops, and cuts off nothing that was sent', async () => {
    const [slow, deaf] = [new Reader(), new Reader()];
    deaf.reading = false;
    length = 100_000;
    const served = [serve(slow), serve(deaf)];
    await settle();
    draining.begin();
    await Promise.all(served);
    expect([slow, deaf].map(({ writableEnded, destroyed }) => [writableEnded, destroyed])).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(last(slow)).toBeGreaterThan(0);
    expect(last(slow)).toBeLessThan(length);
  });

  it('makes one lookup for all readers at the same cursor, and another when there is more', async () => {
    length = 100;
    const readers = Array.from({ length: 50 }, () => new Reader());
    const served = readers.map((reader) => serve(reader));
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect([readers.map(last), pages]).toEqual([readers.map(() => 100), 2]);
    grow(1);
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect([readers.map(last), pages]).toEqual([readers.map(() => 101), 4]);
    readers.forEach((reader) => reader.destroy());
    await Promise.all(served);
  });

  it('is not woken by events of other feeds', async () => {
    const reader = new Reader();
    let asked = 0;
    const served = serve(reader, async () => (asked += 1));
    await settle();
    bell.news('con_2');
    tell([{ stream: 'agent-agt_2' }, { stream: 'wallet_device-dev_2' }, { stream: 'recipient-rcp_1' }]);
    await settle();
    expect(asked).toBe(0);
    tell([{ stream: 'agent-agt_1' }]);
    await settle();
    tell([{ stream: 'wallet_device-dev_1' }]);
    await settle();
    expect(asked).toBe(2);
    reader.destroy();
    await served;
  });
});
