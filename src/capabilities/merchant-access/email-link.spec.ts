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
  it('is spent to the last moment of its time', () => past(issued).when(spend).then(spent));
  it('is worth nothing when its time is over', () => past(issued).when(spendTooLate).thenRefused('invalid_grant'));
  it('is spent once', () => past(issued, spent).when(spendByAnother).thenRefused('invalid_grant'));
  it('cannot be spent before it was issued', () => past().when(spend).thenRefused('invalid_grant'));
});
