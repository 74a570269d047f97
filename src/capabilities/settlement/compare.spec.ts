import fc from 'fast-check';
import { type RecipientFacts } from '../../events/recipient.events';
import { compare, type Pinned } from './compare';
import { type SettledTransaction, type SettledTransfer } from './witness.port';

const facts: RecipientFacts = {
  rail: 'stellar_xlm',
  network: 'stellar_testnet',
  asset: 'XLM',
  address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
  memo: null,
  contract: null,
  issuer: null,
  decimals: 7,
  chain_id: null,
};
const createdAt = '2030-01-01T12:00:00.500Z';
const pinned: Pinned = { facts, amount: '12.50', ledger: null, createdAt };
const paid: SettledTransfer = {
  operation: 0,
  transfer: 0,
  from: 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI',
  destination: facts.address,
  asset: 'XLM',
  issuer: null,
  amount: '12.5',
};
const settled: SettledTransaction = {
  ledgerHash: 'ab'.repeat(32),
  innerHash: null,
  successful: true,
  ledger: 7,
  closedAt: '2030-01-01T12:00:07Z',
  memo: null,
  envelope: null,
  transfers: [paid],
};
const differencesFrom = (asked: Pinned, found: SettledTransaction) => compare(asked, found).differences;
const told = (asked: Pinned, found: SettledTransaction): string[] =>
  differencesFrom(asked, found).map(({ fact }) => fact);

describe('comparing a transaction with what was asked for', () => {
  it('finds no difference where there is none', () => expect(told(pinned, settled)).toEqual([]));
  it('compares amounts by value', () => {
    expect(told({ ...pinned, amount: '12.5000000' }, settled)).toEqual([]);
    expect(told({ ...pinned, amount: '12.5000001' }, settled)).toEqual(['amount']);
  });
  it('tells a token of the same name by its issuer', () =>
    expect(told(pinned, { ...settled, transfers: [{ ...paid, issuer: 'GBZX' }] })).toEqual(['issuer']));
  it('reports that it failed', () =>
    expect(differencesFrom(pinned, { ...settled, successful: false })).toEqual([
      { fact: 'successful', expected: true, found: false },
    ]));
  it('compares the ledger only if the wallet named one', () => {
    expect(told({ ...pinned, ledger: 8 }, settled)).toEqual(['ledger']);
    expect(told({ ...pinned, ledger: 7 }, settled)).toEqual([]);
  });
  it('takes a memo the payee did not ask for, and none other than the one it asked for', () => {
    const withMemo = { ...pinned, facts: { ...facts, memo: '12' } };
    const text = (shown: string) => ({ ...settled, memo: { isText: true, shown } });
    expect(told(pinned, text('thanks'))).toEqual([]);
    expect(told(withMemo, text('12'))).toEqual([]);
    expect(differencesFrom(withMemo, settled)).toEqual([{ fact: 'memo', expected: '12', found: null }]);
    expect(told(withMemo, text('13'))).toEqual(['memo']);
    expect(told(withMemo, { ...settled, memo: { isText: false, shown: '12' } })).toEqual(['memo']);
  });
  it('is content with one payment of several, and tells the closest otherwise', () => {
    const foreign = { ...paid, destination: 'GBZX', amount: '1' };
    expect(told(pinned, { ...settled, transfers: [foreign, paid] })).toEqual([]);
    const less = { ...paid, amount: '1' };
    expect(differencesFrom(pinned, { ...settled, transfers: [foreign, less] })).toEqual([
      { fact: 'amount', expected: '12.50', found: '1' },
    ]);
  });
  it('does not take a ledger that closed before the payment was asked for, but allows a minute for the clocks', () => {
    const closed = (closedAt: string) => differencesFrom(pinned, { ...settled, closedAt });
    expect(closed('2021-01-01T00:00:00Z')).toEqual([
      { fact: 'time', expected: createdAt, found: '2021-01-01T00:00:00Z' },
    ]);
    expect(closed('2030-01-01T11:59:00Z').map(({ fact }) => fact)).toEqual(['time']);
    expect(closed('2030-01-01T11:59:01Z')).toEqual([]);
  });
  it("compares the memo of a contract's transfer instead of that of its transaction", () => {
    const asked = { ...pinned, facts: { ...facts, memo: '12' } };
    const memo = { isText: true, shown: '12' };
    expect(told(asked, { ...settled, memo, transfers: [{ ...paid, memo: null }] })).toEqual(['memo']);
    expect(told(asked, { ...settled, transfers: [{ ...paid, memo }] })).toEqual([]);
  });
  it('names the transfers that agree, if nothing differs', () => {
    const [second, less] = [
      { ...paid, operation: 2 },
      { ...paid, operation: 1, amount: '1' },
    ];
    const several = { ...settled, transfers: [paid, less, second] };
    expect(compare(pinned, several)).toEqual({ differences: [], agreeing: [paid, second] });
    expect(compare(pinned, { ...several, successful: false }).agreeing).toEqual([]);
    expect(compare({ ...pinned, ledger: 8 }, several).agreeing).toEqual([]);
  });
  it('takes what the payee sends to itself for no transfer', () => {
    const own = { ...paid, from: paid.destination };
    expect(told(pinned, { ...settled, transfers: [own] })).toEqual(['destination', 'asset', 'amount']);
    expect(compare(pinned, { ...settled, transfers: [own, paid] })).toEqual({ differences: [], agreeing: [paid] });
  });
  it('reports what is missing where nothing was paid', () => {
    const token = { ...pinned, facts: { ...facts, asset: 'USDC', issuer: 'GBZX' } };
    expect(told(pinned, { ...settled, transfers: [] })).toEqual(['destination', 'asset', 'amount']);
    expect(told(token, { ...settled, transfers: [] })).toEqual(['destination', 'asset', 'issuer', 'amount']);
  });
});

describe('a transfer', () => {
  it('agrees exactly when every pinned fact does', () => {
    const names = fc.constantFrom('A', 'B');
    const payment = fc.record({
      operation: fc.nat(3),
      transfer: fc.constant(0),
      from: fc.option(names),
      destination: names,
      asset: names,
      issuer: fc.option(names),
      amount: fc.constantFrom('1', '1.0', '2.5'),
    });
    const memo = fc.option(fc.record({ isText: fc.boolean(), shown: fc.constantFrom('m', 'n') }));
    const transaction = fc.record({
      ledgerHash: fc.constant(settled.ledgerHash),
      innerHash: fc.constant(null),
      envelope: fc.constant(null),
      closedAt: fc.constantFrom('2021-01-01T00:00:00Z', '2030-01-01T12:00:07Z'),
      successful: fc.boolean(),
      ledger: fc.constantFrom(1, 2),
      memo,
      transfers: fc.array(payment, { maxLength: 4 }),
    });
    const asked = fc.record({
      payment,
      ledger: fc.option(fc.constantFrom(1, 2)),
      memo: fc.option(fc.constantFrom('m', 'n')),
    });
    fc.assert(
      fc.property(asked, transaction, ({ payment: wanted, ledger, memo: wantedMemo }, found) => {
        const { destination: address, asset, issuer, amount } = wanted;
        const pin: Pinned = {
          facts: { ...facts, address, asset, issuer, memo: wantedMemo },
          amount,
          ledger,
          createdAt,
        };
        const agrees =
          found.successful &&
          found.closedAt > createdAt &&
          (ledger === null || ledger === found.ledger) &&
          (wantedMemo === null || (found.memo?.isText === true && found.memo.shown === wantedMemo)) &&
          found.transfers.some(
            (one) =>
              one.from !== address &&
              one.destination === address &&
              one.asset === asset &&
              one.issuer === issuer &&
              Number(one.amount) === Number(amount),
          );
        const { agreeing, differences } = compare(pin, found);
        expect(agreeing.length > 0).toBe(agrees);
        expect(differences.length === 0).toBe(agrees);
      }),
      { numRuns: 2_000 },
    );
  });
});
