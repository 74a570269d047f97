import { type Settlement } from '../../../sdk/src/types/payment.ts';
import { broadcastedWords, paidWords, type Seen, withdrawnWords } from './outcome-words';

const seen = (change: Partial<Seen>): Seen => ({
  way: 'network',
  hasNetwork: true,
  settlement: null,
  payee: 'Till',
  ...change,
});
const settled = (verdict: Settlement['verdict']): Settlement => ({
  verdict,
  differences: [],
  ledger: 7,
  ledger_hash: 'ab'.repeat(32),
  operation: verdict === 'matches' ? 0 : null,
  transfer: verdict === 'matches' ? 0 : null,
  announced: true,
  binding: 'none',
  observed_at: '2030-01-01T00:00:00.000Z',
  witness: 'horizon',
});

describe('what the wallet says of money that it did not see itself', () => {
  it('says what the network has only where the network said so', () => {
    expect(broadcastedWords(seen({}))).toContain('The network has it.');
    for (const way of ['told', 'elsewhere', 'practice', undefined] as const)
      for (const hasNetwork of [true, false])
        expect(broadcastedWords(seen({ way, hasNetwork }))).not.toContain('The network has it.');
  });

  it('says who has the money where this wallet or the service has seen it, and not on anybody’s word', () => {
    expect(paidWords(seen({}))).toBe('Till has the money.');
    for (const way of ['told', undefined] as const) {
      expect(paidWords(seen({ way, settlement: settled('matches') }))).toBe('Till has the money.');
      for (const settlement of [null, settled('pending'), settled('not_found')])
        for (const hasNetwork of [true, false])
          expect(paidWords(seen({ way, hasNetwork, settlement }))).not.toContain('has the money');
    }
    expect(paidWords(seen({ way: 'practice', hasNetwork: false }))).toBe('As practice: no money has moved.');
  });

  it('does not contradict the service, which has looked and not found it', () => {
    const settlement = settled('not_found');
    expect(paidWords(seen({ settlement: settled('pending') }))).toBe('Till has the money.');
    for (const way of ['network', 'told', 'elsewhere'] as const)
      for (const hasNetwork of way === 'network' ? [true] : [true, false]) {
        const words = paidWords(seen({ way, hasNetwork, settlement }));
        expect(words).toContain('The service has looked, and not found it yet.');
        expect(words).not.toMatch(/has the money|Nobody has looked/);
      }
  });

  it('says that the network never got it only of what this wallet was to submit', () => {
    expect(withdrawnWords(seen({}), 'expired').text).toContain('The network never got it.');
    const told = withdrawnWords(seen({ way: 'told' }), 'expired').text;
    expect(told).not.toContain('never got it');
    expect(told).toContain('do not pay again');
  });
});
