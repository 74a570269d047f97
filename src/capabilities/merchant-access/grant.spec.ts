import { given } from '../../../test/support/given';
import { grant } from './grant';
import {
  expiresAt,
  issue,
  issueBound,
  issued,
  issuedBound,
  spendOnMerchant,
  spendOnSession,
  spentOnMerchant,
  spentOnSession,
} from './grant.fixtures';

const past = given(grant);
const late = { at: expiresAt };

describe('a grant', () => {
  it('is issued from a mail', () => past().when(issue).then(issued));
  it('is issued for one merchant', () => past().when(issueBound).then(issuedBound));
  it('is issued once', () =>
    past(issued)
      .when({ ...issue, tokenHash: 'h2' })
      .thenNothing());

  it('is spent on a new merchant', () => past(issued).when(spendOnMerchant).then(spentOnMerchant));
  it('is spent on a session', () => past(issued).when(spendOnSession).then(spentOnSession));
  it('is spent on a session of its own merchant', () => past(issuedBound).when(spendOnSession).then(spentOnSession));
  it('opens no other merchant than its own', () =>
    past(issuedBound)
      .when({ ...spendOnSession, merchantId: 'mer_2' })
      .thenRefused('invalid_grant'));
  it('makes no merchant when it belongs to one', () =>
    past(issuedBound).when(spendOnMerchant).thenRefused('invalid_grant'));

  it.each([
    ['a merchant, then another name', spentOnMerchant, { ...spendOnMerchant, name: 'Other' }],
    ['a merchant, then another of that name', spentOnMerchant, { ...spendOnMerchant, merchantId: 'mer_2' }],
    ['a merchant, then a session', spentOnMerchant, spendOnSession],
    ['a session, then a merchant', spentOnSession, spendOnMerchant],
    ['a session, then another', spentOnSession, { ...spendOnSession, sessionId: 'ses_2' }],
  ] as const)('is spent once: %s', (_, spent, again) => past(issued, spent).when(again).thenRefused('invalid_grant'));

  it('is worthless once it has expired', () => {
    past(issued)
      .when({ ...spendOnMerchant, ...late })
      .thenRefused('invalid_grant');
    past(issued)
      .when({ ...spendOnSession, ...late })
      .thenRefused('invalid_grant');
  });
  it('cannot be spent before it was issued', () => {
    past().when(spendOnMerchant).thenRefused('invalid_grant');
    past().when(spendOnSession).thenRefused('invalid_grant');
  });
});
