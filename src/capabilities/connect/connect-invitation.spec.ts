import { given } from '../../../test/support/given';
import { connectInvitation } from './connect-invitation';
import * as is from './connect-invitation.fixtures';

const past = given(connectInvitation);
const { issued, claimed, approved, rejected, exchanged, expiredAt, keyIsLate, claimIsLate } = is;
const expired = expiredAt(claimIsLate);

describe('a connect key', () => {
  it('is issued', () => past().when(is.issueKey).then(issued));
  it('is issued once', () => past(issued, claimed).when(is.issueKey).thenNothing());
  it('is claimed', () => past(issued).when(is.claim).then(claimed));
  it('that does not exist cannot be claimed', () => past().when(is.claim).thenRefused('invalid_grant'));

  it.each([
    ['claimed', [issued, claimed]],
    ['approved', [issued, claimed, approved]],
    ['expired after its claim', [issued, claimed, expired]],
  ])('that was %s is refused to a second agent like an unknown one', (_, events) =>
    past(...events)
      .when({ ...is.claim, claim: { ...is.claimBy, claimTokenHash: 'c2' } })
      .thenRefused('invalid_grant'),
  );

  it('expires: the first late call records it', () =>
    past(issued)
      .when({ ...is.claim, at: keyIsLate })
      .then(expiredAt(keyIsLate)));
  it('that has expired cannot be claimed', () => past(issued, expiredAt(keyIsLate)).when(is.claim).thenNothing());
  it('expires by itself', () =>
    past(issued)
      .when({ ...is.expire, at: keyIsLate })
      .then(expiredAt(keyIsLate)));
});

describe('a claimed invitation', () => {
  it('is approved with all that was requested', () => past(issued, claimed).when(is.approve).then(approved));
  it('is approved with less', () =>
    past(issued, claimed)
      .when({ ...is.approve, scopes: [is.read] })
      .then(is.approvedWith([is.read])));
  it('is never approved with more', () =>
    past(issued, claimed)
      .when({ ...is.approve, scopes: [is.read, 'transaction_contexts.read'] })
      .thenRefused('scope_not_allowed', { scopes: ['transaction_contexts.read'] }));
  it('is rejected', () => past(issued, claimed).when(is.reject).then(rejected));

  it.each([is.approve, is.reject])('is not shown to another wallet ($kind)', (command) =>
    past(issued, claimed)
      .when({ ...command, deviceId: 'dev_other' })
      .thenRefused('resource_not_found'),
  );
  it.each([is.approve, is.reject, is.exchange])('must exist ($kind)', (command) =>
    past().when(command).thenRefused('resource_not_found'),
  );
  it.each([is.approve, is.reject])('must be claimed first ($kind)', (command) =>
    past(issued).when(command).thenRefused('resource_not_found'),
  );

  it.each([is.approve, is.reject, is.exchange, is.expire])('expires ($kind)', (command) =>
    past(issued, claimed)
      .when({ ...command, at: claimIsLate })
      .then(expired),
  );
  it('does not expire too early', () =>
    past(issued, claimed)
      .when({ ...is.expire, at: '2030-01-01T00:18:59.999Z' })
      .thenNothing());
  it.each([is.approve, is.reject, is.exchange])('that has expired stays expired ($kind)', (command) =>
    past(issued, claimed, expired).when(command).thenNothing(),
  );
});

describe('a decided invitation', () => {
  it.each([
    ['approved', [issued, claimed, approved]],
    ['exchanged', [issued, claimed, approved, exchanged]],
  ])('that is %s may be approved again in the same way only', (current_status, events) => {
    past(...events)
      .when(is.approve)
      .thenNothing();
    past(...events)
      .when({ ...is.approve, scopes: [is.create] })
      .thenRefused('invalid_status_transition', { current_status });
  });

  it.each([
    ['approved', [issued, claimed, approved]],
    ['exchanged', [issued, claimed, approved, exchanged]],
  ])('that is %s is not rejected any more', (current_status, events) =>
    past(...events)
      .when(is.reject)
      .thenRefused('invalid_status_transition', { current_status }),
  );
  it('that was approved and never exchanged expires instead of being approved again', () =>
    past(issued, claimed, approved)
      .when({ ...is.approve, at: claimIsLate })
      .then(expiredAt(claimIsLate)));

  it('that was rejected is not approved any more', () =>
    past(issued, claimed, rejected)
      .when(is.approve)
      .thenRefused('invalid_status_transition', { current_status: 'rejected' }));
  it('that was rejected stays so', () => past(issued, claimed, rejected).when(is.reject).thenNothing());

  it('is exchanged once approved', () => past(issued, claimed, approved).when(is.exchange).then(exchanged));
  it('is not exchanged before', () => past(issued, claimed).when(is.exchange).thenRefused('approval_pending'));
  it('is not exchanged before its connection exists', () =>
    past(issued, claimed, approved)
      .when({ ...is.exchange, isOpen: false })
      .thenRefused('approval_pending'));
  it('is not exchanged when rejected', () =>
    past(issued, claimed, rejected).when(is.exchange).thenRefused('invitation_rejected'));
  it('is exchanged in time', () =>
    past(issued, claimed, approved)
      .when({ ...is.exchange, at: claimIsLate })
      .then(expired));
  it.each([
    ['rejected', [issued, claimed, rejected]],
    ['exchanged', [issued, claimed, approved, exchanged]],
  ])('that was %s does not run out any more', (_, events) =>
    past(...events)
      .when(is.expire)
      .thenNothing(),
  );
});
