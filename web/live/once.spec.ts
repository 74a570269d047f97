import { SvcConnectionError, SvcError } from '../../sdk/src/errors.ts';
import { Once } from './once.ts';

const refusal = (status: number, code: string) => new SvcError({ code, status, message: code, requestId: 'req_1' });
const lost = new SvcConnectionError('POST /: reset', undefined);

describe('a form that makes something', () => {
  const sent: { input: object; key: string }[] = [];
  beforeEach(() => void sent.splice(0));
  const making =
    (failure?: Error) =>
    async (input: object, { idempotencyKey: key }: Readonly<{ idempotencyKey: string }>) => {
      sent.push({ input, key });
      if (failure) throw failure;
      return 'made';
    };
  const twice = async (once: Once, failure?: Error, second: object = { name: 'a' }) => {
    const first = once.send({ name: 'a' }, making(failure));
    expect(await first.catch((error: unknown) => error)).toBe(failure ?? 'made');
    await expect(once.send(second, making())).resolves.toBe('made');
    return sent[0]?.key === sent[1]?.key;
  };

  it.each([lost, refusal(500, 'internal_error'), refusal(503, 'busy'), refusal(401, 'invalid_token')])(
    'sends the same key again when it cannot know what became of the call: %s',
    async (failure) => expect(await twice(new Once(), failure)).toBe(true),
  );

  it('sends another key for other input, after a refusal, and once it was made', async () => {
    expect(await twice(new Once(), lost, { name: 'b' })).toBe(false);
    sent.splice(0);
    expect(await twice(new Once(), refusal(409, 'version_conflict'))).toBe(false);
    sent.splice(0);
    expect(await twice(new Once())).toBe(false);
  });

  it('repeats the call as it was, though what the page adds to the input has changed', async () => {
    const once = new Once();
    await expect(once.send({ name: 'a', version: 1 }, making(lost), { name: 'a' })).rejects.toBe(lost);
    await once.send({ name: 'a', version: 2 }, making(), { name: 'a' });
    expect(sent[1]).toEqual(sent[0]);
    expect(sent[1]?.input).toEqual({ name: 'a', version: 1 });
  });
});
