import { reasonWords } from './reason-words.ts';

describe('why a payment was not made', () => {
  it('is put in words where the network gave codes', () => {
    expect(reasonWords('tx_failed: op_underfunded')).toBe(
      'The account does not hold enough (tx_failed: op_underfunded)',
    );
  });

  it.each(['I did not order this', 'tx_bad_auth', 'constructor'])('is left as it is otherwise: %s', (reason) => {
    expect(reasonWords(reason)).toBe(reason);
  });
});
