import { SvcError } from '../../sdk/src/errors.ts';
import { eventually } from '../../test/support/eventually.ts';
import { LiveFeed } from './stream.ts';

const refusal = new SvcError({ status: 403, code: 'forbidden', message: 'no', requestId: 'req_1' } as never);

it('a feed that was refused is not shown as live', async () => {
  Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
  const refused: unknown[] = [];
  const feed = new LiveFeed<unknown>({
    name: 'refused',
    open: async () => Promise.reject(refusal),
    newest: async () => 1,
    onEvent: () => undefined,
    onCaughtUp: () => undefined,
    onRefused: (error) => void refused.push(error),
  });
  await eventually(
    async () => refused,
    ([error]) => error === refusal,
    'the refusal',
  );
  expect(feed.state.state).toBe('lost');
  feed.stop();
});
