import fc from 'fast-check';
import { isAmount } from '../../kernel/amounts';
import { parseJsonBody } from '../../http/input/json-body';
import { intentDigest } from './intent';
import { readSubmission, type Submission } from './submission';

const valid = {
  recipient_id: 'rcp_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  recipient_version_id: 'rcv_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  payment: { amount: '12.50' },
  policy: { requires_user_approval: true },
};
/** As it arrives: as bytes. */
const read = (changes: object = {}, headers: Record<string, string> = {}): Submission =>
  readSubmission(parseJsonBody(Buffer.from(JSON.stringify({ ...valid, ...changes }))), headers);
const issuesOf = (...input: Parameters<typeof read>): [string, string][] =>
  read(...input).issues.map(({ code, field }) => [code, field]);
const digestOf = (...input: Parameters<typeof read>): string => {
  const { intent } = read(...input);
  return intent ? intentDigest(intent) : 'none';
};

describe('a submission', () => {
  it('holds what the caller wants and nothing else', () => {
    const submission = read({ nonsense: 1, transaction_id: 't', metadata: { a: 1 } });
    expect(submission).toMatchObject({ issues: [], idempotencyKey: undefined, requestId: undefined });
    expect(submission.intent).toEqual({ ...valid, transaction_id: 't', metadata: { a: 1 } });
  });

  it('lists every problem at once', () => {
    const issues = issuesOf(
      {
        recipient_id: undefined,
        recipient_version_id: 7,
        payment: { amount: '1e3', to: 'GA…', Network: 'stellar_public', chainId: 1, note: 'fine' },
        policy: { requires_user_approval: 'true' },
        expires_at: 'tomorrow',
        idempotency_key: '',
        request_id: 'pr_mine',
        transaction_id: '..',
        source: { wallet_address: 'GA…' },
        display: [],
        metadata: { order: { lines: [{ note: 1 }, { 'Recipient-Id': 'x' }] } },
        payee: { name: 'Me' },
        network: 'stellar_public',
        merchant_id: 'mer_1',
      },
      { 'x-idempotency-key': 'a ' },
    );
    expect(issues.sort()).toEqual(
      [
        ['required', 'recipient_id'],
        ['wrong_type', 'recipient_version_id'],
        ['invalid_amount', 'payment.amount'],
        ['payment_fact_not_accepted', 'payment.to'],
        ['payment_fact_not_accepted', 'payment.Network'],
        ['payment_fact_not_accepted', 'payment.chainId'],
        ['must_be_true', 'policy.requires_user_approval'],
        ['malformed', 'expires_at'],
        ['too_short', 'idempotency_key'],
        ['malformed', 'request_id'],
        ['malformed', 'transaction_id'],
        ['override_not_accepted', 'source.wallet_address'],
        ['wrong_type', 'display'],
        ['override_not_accepted', 'metadata.order.lines.1.Recipient-Id'],
        ['payment_fact_not_accepted', 'payee'],
        ['payment_fact_not_accepted', 'network'],
        ['identity_not_accepted', 'merchant_id'],
        ['malformed', 'x-idempotency-key'],
        ['IDEMPOTENCY_KEY_MISMATCH', 'idempotency_key'],
      ].sort(),
    );
  });

  it.each(['network', 'to', 'asset', 'memo', 'contract', 'issuer', 'rail', 'decimals', 'chain_id', 'recipient_id'])(
    'does not take payment.%s from the caller',
    (fact) =>
      expect(issuesOf({ payment: { amount: '1', [fact]: 'x' } })).toEqual([
        ['payment_fact_not_accepted', `payment.${fact}`],
      ]),
  );

  it.each(['events', 'pr_x', '.', '..', '', 'a b', 'ä', 'x'.repeat(161)])('does not take %j for a request id', (id) =>
    expect(issuesOf({ request_id: id })).toEqual([[expect.any(String), 'request_id']]),
  );
  it.each(['order-7', 'A.b_c:d', 'x'.repeat(160), 'PR', 'events-1', '...'])('takes %j for a request id', (id) =>
    expect(read({ request_id: id }).requestId).toBe(id),
  );

  it('does not answer a small body with a large one', () => {
    const many = Object.fromEntries(Array.from({ length: 450 }, (_, index) => [`to_${index}`, 1]));
    const { issues } = read({ metadata: { ['k'.repeat(5000)]: many }, ...many });
    expect(issues.length).toBeLessThanOrEqual(200);
    expect(Math.max(...issues.map(({ field }) => field.length))).toBeLessThan(500);
  });
});

describe('the idempotency key', () => {
  it.each([
    [{ 'x-idempotency-key': 'k' }, {}],
    [{ 'idempotency-key': 'k' }, {}],
    [{}, { idempotency_key: 'k' }],
    [{ 'x-idempotency-key': 'k', 'idempotency-key': 'k' }, { idempotency_key: 'k' }],
  ])('comes in header %j or body %j', (headers, body) => {
    expect(read(body, headers as Record<string, string>)).toMatchObject({ issues: [], idempotencyKey: 'k' });
  });

  it.each([
    [{ 'x-idempotency-key': 'k', 'idempotency-key': 'K' }, {}],
    [{ 'x-idempotency-key': 'k' }, { idempotency_key: 'k2' }],
    [{ 'idempotency-key': 'k' }, { idempotency_key: 'K' }],
  ])('must be the same byte for byte in %j and %j', (headers, body) => {
    expect(issuesOf(body, headers as Record<string, string>)).toEqual([
      ['IDEMPOTENCY_KEY_MISMATCH', 'idempotency_key'],
    ]);
  });

  it.each(['', ' ', ' a', 'a ', 'x'.repeat(257)])('is not %j', (key) => {
    expect(issuesOf({ idempotency_key: key })).toEqual([[expect.any(String), 'idempotency_key']]);
    expect(issuesOf({}, { 'idempotency-key': key })).toEqual([[expect.any(String), 'idempotency-key']]);
  });
  it.each(['~"!{}'.repeat(60).slice(0, 256), 'order 1017', 'ключ', '鍵'.repeat(256)])('may be %j, anywhere', (key) => {
    const asSent = Buffer.from(key).toString('latin1');
    expect(read({ idempotency_key: key }, { 'idempotency-key': asSent })).toMatchObject({
      issues: [],
      idempotencyKey: key,
    });
  });
  it('is UTF-8 in a header: bytes of another alphabet are no key', () => {
    expect(issuesOf({}, { 'idempotency-key': 'caf\u00e9' })).toEqual([['malformed', 'idempotency-key']]);
    expect(issuesOf({ idempotency_key: 'caf\u00e9' }, { 'idempotency-key': 'caf\u00e9' })).toEqual([
      ['malformed', 'idempotency-key'],
      ['IDEMPOTENCY_KEY_MISMATCH', 'idempotency_key'],
    ]);
  });
  it('keeps a byte order mark', () => {
    const marked = '\ufeffk';
    const asSent = Buffer.from(marked).toString('latin1');
    expect(read({}, { 'idempotency-key': asSent })).toMatchObject({ issues: [], idempotencyKey: marked });
    expect(read({ idempotency_key: marked }, { 'idempotency-key': asSent })).toMatchObject({ issues: [] });
    expect(issuesOf({ idempotency_key: 'k' }, { 'idempotency-key': asSent })).toEqual([
      ['IDEMPOTENCY_KEY_MISMATCH', 'idempotency_key'],
    ]);
  });
});

describe('an intent', () => {
  it('does not depend on how it is written', () => {
    const reordered = { metadata: { b: { d: 1, c: 2 }, a: [1, 2] }, expires_at: '2030-01-01T01:00:00+01:00' };
    const plain = { expires_at: '2030-01-01T00:00:00.000Z', metadata: { a: [1, 2], b: { c: 2, d: 1 } }, unknown: 1 };
    expect(digestOf(reordered)).toBe(digestOf(plain));
  });
  it('does not depend on the names given to it', () => {
    expect(digestOf({ request_id: 'r', idempotency_key: 'k' }, { 'idempotency-key': 'k' })).toBe(digestOf());
  });
  it.each([
    { payment: { amount: '12.5' } },
    { recipient_version_id: 'rcv_other' },
    { expires_at: '2030-01-01T00:00:00.000Z' },
    { transaction_id: 't' },
    { source: {} },
    { display: {} },
    { metadata: {} },
  ])('is another with %j', (changes) => expect(digestOf(changes)).not.toBe(digestOf()));
});

describe('an amount', () => {
  const digits = fc.stringMatching(/^[0-9]{1,25}$/);
  const decimal = fc
    .tuple(fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,30}$/)), fc.option(digits, { nil: undefined }))
    .map(([whole, fraction]) => (fraction === undefined ? whole : `${whole}.${fraction}`))
    .filter(isAmount);

  it('goes through as the text it is, whatever a number would make of it', () => {
    fc.assert(
      fc.property(decimal, (amount) => {
        const { intent, parts } = read({ payment: { amount } });
        return intent?.payment.amount === amount && parts.amount === amount;
      }),
    );
  });

  it.each([
    '',
    '0',
    '0.0',
    '01',
    '1.',
    '.5',
    '-1',
    '+1',
    '1e3',
    '1,5',
    ' 1',
    '1 ',
    '٣',
    'NaN',
    '0x1',
    5,
    1.5,
    null,
    [],
    {},
  ])('is not %j', (amount) =>
    expect(issuesOf({ payment: { amount } })).toEqual([['invalid_amount', 'payment.amount']]),
  );
});
