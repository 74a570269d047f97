import { given } from '../../../test/support/given';
import { emailLink } from './email-link';
import { issue, issued, spend, spendByAnother, spendTooLate, spent } from './email-link.fixtures';

const past = given(emailLink);

describe('an e-mail link', () => {
  it('is issued', () => past().when(issue).then(issued));
  it('is issued once', () =>
    past(issued)
      .when({ ...issue, tokenHash: 'h2' })
      .thenNothing());
  it('can be spent until it expires', () => past(issued).when(spend).then(spent));
  it('is worthless once it has expired', () => past(issued).when(spendTooLate).thenRefused('invalid_grant'));
  it('is spent once', () => past(issued, spent).when(spendByAnother).thenRefused('invalid_grant'));
  it('cannot be spent before it was issued', () => past().when(spend).thenRefused('invalid_grant'));
});
