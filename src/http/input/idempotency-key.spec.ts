import { givenKey } from './idempotency-key';

/** As Node hands a header over: one character for each byte. */
const inHeader = (key: string): string => Buffer.from(key).toString('latin1');
const given = (key: string, inBody?: string) => {
  const { key: read, issues } = givenKey({ 'x-idempotency-key': inHeader(key) }, inBody);
  return [read, issues.map(({ code, field }) => [code, field])];
};

describe('an idempotency key in a header', () => {
  it.each(['order\u00851', 'order\u009f', '\u202eorder'])('is refused if people cannot read it: %j', (key) =>
    expect(given(key)).toEqual([key, [['unreadable_text', 'x-idempotency-key']]]),
  );

  // Otherwise a retry that sends the same key in the body would be another payment.
  it.each(['\ufefforder', 'ключ', 'order 1'])('is the same text as in the body: %j', (key) =>
    expect(given(key, key)).toEqual([key, []]),
  );

  it('that is not UTF-8 is no key', () => {
    const { key, issues } = givenKey({ 'idempotency-key': '\u00ff' }, undefined);
    expect([key, issues.map(({ code, field }) => [code, field])]).toEqual([
      undefined,
      [['malformed', 'idempotency-key']],
    ]);
  });
});
