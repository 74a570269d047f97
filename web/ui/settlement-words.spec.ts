import { type Settlement } from '../../sdk/src/types/payment.ts';
import { comparedFacts } from './settlement-words.ts';

const facts = {
  rail: 'stellar_xlm',
  network: 'stellar_testnet',
  asset: 'XLM',
  amount: '12.50',
  to: 'GA7Q',
  memo: 'Order 17',
};
const seen = (verdict: Settlement['verdict'], differences: Settlement['differences'] = []): Settlement => ({
  verdict,
  differences,
  ledger: 7,
  ledger_hash: 'ab'.repeat(32),
  operation: verdict === 'matches' ? 0 : null,
  transfer: verdict === 'matches' ? 0 : null,
  announced: true,
  binding: 'none',
  observed_at: '2026-01-01T00:00:00.000Z',
  witness: 'https://horizon.example',
});

describe('what was compared with the network', () => {
  it('is every fact that was asked for, none of it different', () => {
    const compared = comparedFacts(seen('matches'), { facts, ledger: 7 });
    expect(compared.map(({ name }) => name)).toEqual(['Success', 'Ledger', 'Destination', 'Asset', 'Amount', 'Memo']);
    expect(compared.every(({ found }) => found === undefined)).toBe(true);
  });

  it('leaves out what nobody asked for', () => {
    const { memo: _, ...plain } = facts;
    const compared = comparedFacts(seen('matches'), { facts: plain, ledger: undefined });
    expect(compared.map(({ name }) => name)).toEqual(['Success', 'Destination', 'Asset', 'Amount']);
  });

  it('has what was found beside what was asked for', () => {
    const differences: Settlement['differences'] = [
      { fact: 'successful', expected: true, found: false },
      { fact: 'issuer', expected: null, found: 'GBZX' },
      { fact: 'amount', expected: '12.50', found: '12.4' },
      { fact: 'memo', expected: 'Order 17', found: null },
    ];
    expect(comparedFacts(seen('differs', differences), { facts, ledger: undefined })).toEqual([
      { name: 'Success', expected: 'Successful', found: 'Failed' },
      { name: 'Destination', expected: 'GA7Q', found: undefined },
      { name: 'Asset', expected: 'XLM', found: undefined },
      { name: 'Issuer', expected: 'none', found: 'GBZX' },
      { name: 'Amount', expected: '12.50', found: '12.4' },
      { name: 'Memo', expected: 'Order 17', found: 'none' },
    ]);
  });

  it.each(['not_found', 'pending'] as const)('is nothing when the verdict is %s', (verdict) => {
    expect(comparedFacts(seen(verdict), { facts, ledger: 7 })).toEqual([]);
  });
});
