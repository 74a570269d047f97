import { SvcError } from './errors.ts';
import { followStream, type OpenStream, type StreamedEvent } from './event-stream.ts';

/** A stream that sends these chunks and then ends cleanly. */
const saying = (...pieces: readonly string[]): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    }),
  );

const message = (cursor: number, type = 'a.b'): string =>
  `id: ${cursor}\ndata: ${JSON.stringify({ cursor, type })}\n\n`;

/** Follows over these connections, one after another; after the last one it is stopped. */
async function follow(connections: readonly (Response | Error)[], since = 0) {
  const ended = new AbortController();
  const opened: number[] = [];
  const interruptions: unknown[] = [];
  let heard = 0;
  const open: OpenStream = async (from) => {
    const next = connections[opened.length];
    opened.push(from);
    if (opened.length >= connections.length) setTimeout(() => ended.abort(), 5);
    if (next instanceof Error) throw next;
    return next ?? saying();
  };
  const events: StreamedEvent<unknown>[] = [];
  const options = {
    since,
    signal: ended.signal,
    onHeard: () => (heard += 1),
    onInterruption: (error: unknown) => interruptions.push(error),
  };
  for await (const event of followStream(open, options)) events.push(event);
  return {
    events: events.map(({ cursor }) => cursor),
    types: events.map(({ type }) => type),
    opened,
    interruptions,
    heard,
  };
}

describe('following a stream', () => {
  it('gives each event once, however the bytes are cut', async () => {
    const whole = `retry: 2000\n\n${message(1)}: still here\n\n${message(2, 'c.d')}`;
    const { events, types, heard } = await follow([saying(...(whole.match(/.{1,7}/gs) ?? []))]);
    expect([events, types]).toEqual([
      [1, 2],
      ['a.b', 'c.d'],
    ]);
    expect(heard).toBeGreaterThan(5);
  });

  const opened = (newest_cursor: number): string =>
    `retry: 2000\nevent: opened\ndata:${JSON.stringify({ since: 9, newest_cursor })}\n\n`;

  it('ends if the service says twice that the cursor is beyond the newest', async () => {
    const stray = follow([saying(opened(3)), saying(opened(3)), saying()], 9);
    await expect(stray).rejects.toMatchObject({ name: 'SvcCursorError', since: 9, newestCursor: 3 });
  });

  it('continues if the service knew less only briefly', async () => {
    const { events, opened: from } = await follow([saying(opened(3)), saying(opened(9), message(10))], 9);
    expect([events, from]).toEqual([[10], [9, 9]]);
  });

  it('comes back after a break where it was, and takes nothing twice', async () => {
    const { events, opened } = await follow([saying(message(4)), saying(message(4), message(5))], 3);
    expect([events, opened]).toEqual([
      [4, 5],
      [3, 4],
    ]);
  });

  it('continues when nobody answers, and reports that', async () => {
    const { events, interruptions } = await follow([new TypeError('fetch failed'), saying(message(1))]);
    expect([events, interruptions.length]).toEqual([[1], 1]);
  });

  it('ends with a refusal', async () => {
    const refusal = new SvcError({ code: 'invalid_token', message: 'ended', status: 401, requestId: undefined });
    await expect(follow([refusal])).rejects.toBe(refusal);
  });
});
