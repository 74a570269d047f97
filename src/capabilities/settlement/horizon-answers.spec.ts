import { operationsOf, paymentTo, transactionOf } from '../../../test/support/horizon';
import { UnreadableAnswer } from './answers';
import { classicTransfers, readOperations, readTransaction } from './horizon-answers';

const hash = 'ab'.repeat(32);
const outer = 'cd'.repeat(32);
const account = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const issuer = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI';
/** The account and id 1234 of the muxed-account specification (SEP-23). */
const muxed = {
  address: 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
  account: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
};
const simple = { operations: [] };
const closedAt = '2030-01-01T12:00:00Z';
const answered = readTransaction(transactionOf(hash, simple), hash);
const payments = (...operations: object[]) =>
  readOperations(
    operationsOf(hash, { operations: operations as Record<string, unknown>[] }),
    answered,
    'operations',
  ).flatMap(classicTransfers);

describe('what Horizon says of a transaction', () => {
  it('is read', () =>
    expect(
      readTransaction({ ...transactionOf(hash, { ...simple, closedAt }), envelope_xdr: 'AAAA' }, hash).known,
    ).toEqual({
      ledgerHash: hash,
      innerHash: null,
      successful: true,
      ledger: 1234,
      closedAt,
      memo: null,
      envelope: 'AAAA',
    }));

  it('is found by the inner and the outer hash of a fee bump', () => {
    const answer = transactionOf(hash, { ...simple, outerHash: outer });
    const hashes = { ledgerHash: outer, innerHash: hash };
    expect(readTransaction(answer, hash).known).toMatchObject(hashes);
    expect(readTransaction({ ...answer, hash: outer }, outer).known).toMatchObject(hashes);
    expect(() => readTransaction(answer, 'ef'.repeat(32))).toThrow(UnreadableAnswer);
  });

  it.each([
    ['another transaction', { hash: outer }],
    ['no outcome', { successful: undefined }],
    ['an outcome in words', { successful: 'true' }],
    ['no ledger', { ledger: undefined }],
    ['no closing time', { created_at: undefined }],
    ['a closing time that is none', { created_at: '2030-13-01T12:00:00Z' }],
    ['a closing time somewhere else', { created_at: '2030-01-01T12:00:00+02:00' }],
    ['an envelope that is none', { envelope_xdr: '<xdr>' }],
    ['metadata that are none', { result_meta_xdr: 5 }],
    ['a fee bump without a hash', { fee_bump_transaction: {}, inner_transaction: { hash } }],
    ['a fee bump around nothing', { fee_bump_transaction: { hash } }],
    ['an impossible ledger', { ledger: 2 ** 40 }],
    ['the ledger before the first', { ledger: 0 }],
    ['a memo that is no text', { memo_type: 'text', memo: 5 }],
    ['an id memo that is no text', { memo_type: 'id', memo: 5 }],
    ['a memo of no known type', { memo_type: 5, memo: 'order 7' }],
  ])('is not believed with %s', (_what, changes) =>
    expect(() => readTransaction({ ...transactionOf(hash, simple), ...changes }, hash)).toThrow(UnreadableAnswer),
  );

  it.each([null, [], 'text', 5])('is not believed as %j', (body) => {
    expect(() => readTransaction(body, hash)).toThrow(UnreadableAnswer);
    expect(() => readOperations(body, answered, 'operations')).toThrow(UnreadableAnswer);
  });

  it.each([
    [
      { memo_type: 'text', memo: 'order 7' },
      { isText: true, shown: 'order 7' },
    ],
    [
      { memo_type: 'text', memo: '�', memo_bytes: Buffer.from('order 7').toString('base64') },
      { isText: true, shown: 'order 7' },
    ],
    [{ memo_type: 'text' }, { isText: true, shown: '' }],
    [
      { memo_type: 'id', memo: '7' },
      { isText: false, shown: 'id 7' },
    ],
    [
      { memo_type: 'hash', memo: 'q6s=' },
      { isText: false, shown: 'hash q6s=' },
    ],
    [
      { memo_type: 'return', memo: 'q6s=' },
      { isText: false, shown: 'return q6s=' },
    ],
    [{ memo_type: 'none' }, null],
    [{}, null],
    [
      { memo_type: 'text', memo: 'x'.repeat(101) },
      { isText: true, shown: 'x'.repeat(100) },
    ],
    [
      { memo_type: 'hash', memo: 'x'.repeat(101) },
      { isText: false, shown: `hash ${'x'.repeat(95)}` },
    ],
  ])('has the memo %j', (memo, expected) =>
    expect(readTransaction(transactionOf(hash, { ...simple, memo }), hash).known.memo).toEqual(expected),
  );
});

describe('what Horizon says of operations', () => {
  const native = { operation: 0, transfer: 0, from: issuer, destination: account, asset: 'XLM', issuer: null };
  it('counts a payment', () =>
    expect(payments(paymentTo(account, '12.5000000'))).toEqual([{ ...native, amount: '12.5' }]));
  it('keeps the zeros of a whole amount', () =>
    expect(payments(paymentTo(account, '100'), paymentTo(account, '100.0000000'))).toEqual([
      { ...native, amount: '100' },
      { ...native, operation: 1, amount: '100' },
    ]));
  it('keeps all seven digits', () =>
    expect(payments(paymentTo(account, '0.0000001'))).toEqual([{ ...native, amount: '0.0000001' }]));
  it('counts a token by code and issuer', () => {
    const token = { asset_type: 'credit_alphanum4', asset_code: 'USDC', asset_issuer: issuer };
    expect(payments(paymentTo(account, '5.0000000', token))).toEqual([
      { ...native, asset: 'USDC', issuer, amount: '5' },
    ]);
  });
  it.each(['path_payment', 'path_payment_strict_send', 'path_payment_strict_receive'])(
    'counts a %s by what arrived',
    (type) =>
      expect(payments(paymentTo(account, '3.0000000', { type, source_amount: '9.0000000' }))).toEqual([
        { ...native, amount: '3' },
      ]),
  );
  it('counts what a new account is opened with', () =>
    expect(payments({ type: 'create_account', funder: issuer, account, starting_balance: '20.0000000' })).toEqual([
      { ...native, amount: '20' },
    ]));
  it('takes a muxed address for its account', () =>
    expect(payments(paymentTo(muxed.address, '1.0000000'))).toEqual([
      { ...native, destination: muxed.account, amount: '1' },
    ]));
  it('numbers the operations as the ledger does, those that pay nobody included', () =>
    expect(payments({ type: 'manage_data' }, paymentTo(account, '1.0'))).toEqual([
      { ...native, operation: 1, amount: '1' },
    ]));
  it('names the account that paid, muxed or not, where the answer does', () => {
    const from = (value: unknown) => payments(paymentTo(account, '1.0', { from: value })).map((one) => one.from);
    expect(from(muxed.address)).toEqual([muxed.account]);
    expect(from(undefined)).toEqual([null]);
    expect(() => from('somebody')).toThrow(UnreadableAnswer);
  });
  it('counts neither claimable balances nor merges nor anything else', () =>
    expect(
      payments(
        {
          type: 'create_claimable_balance',
          asset: 'native',
          amount: '5.0000000',
          claimants: [{ destination: account }],
        },
        { type: 'account_merge', account: issuer, into: account },
        { type: 'manage_data' },
      ),
    ).toEqual([]));
  it.each([
    ['an amount with eight digits', paymentTo(account, '1.00000001')],
    ['an amount as number', { ...paymentTo(account, ''), amount: 5 }],
    ['no destination', { ...paymentTo('', '1.0'), to: undefined }],
    ['a broken destination', paymentTo(`${account.slice(0, -1)}A`, '1.0')],
    ['no asset', { ...paymentTo(account, '1.0'), asset_type: 'credit_alphanum4', asset_issuer: issuer }],
    ['no asset code', paymentTo(account, '1.0', { asset_type: 'x', asset_code: 'US DC', asset_issuer: issuer })],
    ['another transaction', { ...paymentTo(account, '1.0'), transaction_hash: outer }],
  ])('believes nothing with %s', (_what, operation) => expect(() => payments(operation)).toThrow(UnreadableAnswer));
  it('rejects a list that is not whole', () => {
    const list = operationsOf(hash, { operations: [paymentTo(account, '1.0')] });
    const two = readTransaction({ ...transactionOf(hash, simple), operation_count: 2 }, hash);
    expect(() => readOperations(list, two, 'operations')).toThrow(UnreadableAnswer);
    expect(() => readOperations(list, two, 'payments')).toThrow(UnreadableAnswer);
  });
  it('knows an operation by its id where the list leaves some out', () => {
    const indexOf = (id: unknown) => () =>
      readOperations(
        operationsOf(hash, { operations: [{ ...paymentTo(account, '1.0'), id }] }),
        answered,
        'payments',
      )[0]?.index;
    expect(indexOf(String((1234n << 32n) + (5n << 12n) + 3n))()).toBe(2);
    for (const id of [undefined, '7', String(1234n << 32n), String((1235n << 32n) + 1n)])
      expect(indexOf(id)).toThrow(UnreadableAnswer);
  });
  it('rejects an invalid list', () =>
    expect(() => readOperations({ _embedded: { records: {} } }, answered, 'operations')).toThrow(UnreadableAnswer));
});
