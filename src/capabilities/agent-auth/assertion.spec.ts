import { given } from '../../../test/support/given';
import { assertion } from './assertion';
import { accept, accepted } from './assertion.fixtures';

const past = given(assertion);

describe('an assertion', () => {
  it('fetches a token', () => past().when(accept).then(accepted));
  it('fetches no second token', () =>
    past(accepted)
      .when({ ...accept, tokenHash: 'h2' })
      .thenRefused('assertion_replayed'));
});
