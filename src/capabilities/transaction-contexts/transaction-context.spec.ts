import { given } from '../../../test/support/given';
import { transactionContext } from './transaction-context';
import {
  corrected,
  correctOrder,
  described,
  describedAgain,
  describeOrder,
  describeOrderAgain,
} from './transaction-context.fixtures';
import { idFor } from '../../kernel/aggregates';

const past = given(transactionContext);

describe('a transaction context', () => {
  it('begins with its first revision', () => past().when(describeOrder).then(described));
  it('gets another revision when something changes', () => past(described).when(correctOrder).then(corrected));
  it('stays as it is when nothing does', () => past(described).when(describeOrderAgain).thenNothing());
  it('may go back to what it said before', () => past(described, corrected).when(describeOrder).then(describedAgain));

  it('belongs to its connection', () => {
    const ids = [
      idFor.transactionContext('con_1', 'order-7'),
      idFor.transactionContext('con_2', 'order-7'),
      idFor.transactionContext('con_1', 'order-8'),
    ];
    expect(new Set(ids).size).toBe(3);
    expect(idFor.transactionContext('con_1', 'order-7')).toBe(ids[0]);
  });
});
