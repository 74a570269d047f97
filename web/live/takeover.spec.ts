import { eventually } from '../../test/support/eventually.ts';
import { LiveFeed } from './stream.ts';

it('a third window looks again when another window takes over the feed', async () => {
  // Web Locks as in browsers: one holder, the others queued.
  let tail: Promise<unknown> = Promise.resolve();
  const locks = {
    request: (_name: string, { signal }: { signal: AbortSignal }, work: () => Promise<void>) => {
      const mine = tail.then(() => (signal.aborted ? Promise.reject(new Error('aborted')) : work()));
      tail = mine.catch(() => undefined);
      return mine;
    },
  };
  Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });
  let newest = 1;
  const open = async (_since: number, signal: AbortSignal) =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(': hello\n\n'));
          signal.addEventListener('abort', () => controller.error(new Error('aborted')));
        },
      }),
    );
  const tab = () => {
    const seen = { looks: 0 };
    const look = () => void (seen.looks += 1);
    const feed = new LiveFeed<unknown>({
      name: 'feed',
      open,
      newest: async () => newest,
      onEvent: look,
      onCaughtUp: look,
      onRefused: () => undefined,
    });
    return { seen, feed };
  };
  const rest = (ms = 100) => new Promise((resolve) => setTimeout(resolve, ms));
  const one = tab();
  await rest();
  const two = tab();
  await rest();
  const three = tab();
  await rest();
  const before = three.seen.looks;
  // The leading window is closed; an event happens; the second one takes over and begins at the newest cursor.
  newest = 2;
  one.feed.stop();
  const looks = await eventually(
    async () => [two.seen.looks, three.seen.looks - before],
    ([taker = 0, third = 0]) => taker > 0 && third > 0,
    'a look of both',
  );
  two.feed.stop();
  three.feed.stop();
  await rest();
  expect(Math.min(...looks)).toBeGreaterThan(0);
});
