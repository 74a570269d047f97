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

  // The form in which the Idempotency-Key header is defined.
  it.each([
    ['"dup1"', 'dup1'],
    ['"say \\"hi\\" \\\\o/"', 'say "hi" \\o/'],
    ['"ключ"', 'ключ'],
    ['or"der"', 'or"der"'],
    ['order\\1', 'order\\1'],
  ])('in quotes is what is between them: %s', (sent, key) => {
    expect(given(sent)).toEqual([key, []]);
    expect(given(sent, key)).toEqual([key, []]);
  });

  it('in quotes is the same key in both headers, and without them in one', () => {
    const { key, issues } = givenKey({ 'x-idempotency-key': 'dup1', 'idempotency-key': '"dup1"' }, 'dup1');
    expect([key, issues]).toEqual(['dup1', []]);
  });

  it('keeps quotes in a body, which JSON has already read', () =>
    expect(given('"dup1"', '"dup1"')).toEqual(['dup1', [['IDEMPOTENCY_KEY_MISMATCH', 'idempotency_key']]]));

  it.each(['"dup1', '"', '"dup"1"', '"dup\\1"', '"dup1\\"', '"dup1";a=1'])('is refused if wrongly quoted: %s', (sent) =>
    expect(given(sent)[1]).toEqual([['malformed', 'x-idempotency-key']]),
  );

  it('is too short if there is nothing in the quotes', () =>
    expect(given('""')).toEqual(['', [['too_short', 'x-idempotency-key']]]));

  it('that is not UTF-8 is no key', () => {
    const { key, issues } = givenKey({ 'idempotency-key': '\u00ff' }, undefined);
    expect([key, issues.map(({ code, field }) => [code, field])]).toEqual([
      undefined,
      [['malformed', 'idempotency-key']],
    ]);
  });
});
