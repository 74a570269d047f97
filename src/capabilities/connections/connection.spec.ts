import { given } from '../../../test/support/given';
import { connection } from './connection';
import { created, pause, paused, resume, resumed, revoke, revoked, rotate, rotated } from './connection.fixtures';

const past = given(connection);

describe('a connection', () => {
  it('is paused', () => past(created).when(pause).then(paused));
  it('is resumed', () => past(created, paused).when(resume).then(resumed));
  it('stays active', () => past(created).when(resume).thenNothing());
  it.each([
    ['active', [created]],
    ['paused', [created, paused]],
    ['resumed', [created, paused, resumed]],
  ])('is revoked when %s', (_, events) =>
    past(...events)
      .when(revoke)
      .then(revoked),
  );
  it('is revoked with the credential that ended, and says which', () =>
    past(created)
      .when({ ...revoke, kind: 'revoke', reason: 'credential_revoked', credentialId: 'crd_1' })
      .then({
        type: 'ConnectionRevoked',
        data: { ...revoked.data, reason: 'credential_revoked', credential_id: 'crd_1' } as never,
      }));
  it('stays revoked, whatever the reason given then', () =>
    past(created, revoked)
      .when({ ...revoke, kind: 'revoke', reason: 'device_removed' })
      .thenNothing());
  it.each([pause, resume])('stays revoked ($kind)', (command) =>
    past(created, revoked).when(command).thenRefused('invalid_status_transition', { current_status: 'revoked' }),
  );

  it('gets a new token', () => past(created).when(rotate).then(rotated));
  it('gets a new token that names the service secret it follows from, unless that is the first', () =>
    past(created)
      .when({ ...rotate, kind: 'rotate-token', generation: 2, secret: 3 })
      .then({ type: 'ConnectionTokenRotated', data: { ...rotated.data, secret_number: 3 } as never }));
  it('gets a new token while paused', () => past(created, paused).when(rotate).then(rotated));
  it('gets one new token of calls that came together', () => past(created, rotated).when(rotate).thenNothing());
  it('gets no token once revoked', () => past(created, revoked).when(rotate).thenRefused('connection_revoked'));

  it.each([pause, resume, revoke, rotate])('does not exist before it is created ($kind)', (command) =>
    past().when(command).thenRefused('resource_not_found'),
  );
  it.each([pause, resume, revoke, rotate])('does not exist for another wallet ($kind)', (command) =>
    past(created)
      .when({ ...command, deviceId: 'dev_other' })
      .thenRefused('resource_not_found'),
  );
});
