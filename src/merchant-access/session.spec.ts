import { given } from '../../test/support/given';
import { session } from './session';
import { end, ended, open, opened, useAt, usedAt } from './session.fixtures';

const past = given(session);
/** Used every 29 minutes until shortly before the eight hours are over. */
const busyDay = Array.from({ length: 16 }, (_, index) => {
  const minutes = 29 * (index + 1);
  return usedAt(`${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00.000`);
});

describe('a session', () => {
  it('is opened', () => past().when(open).then(opened));
  it('is opened once', () =>
    past(opened)
      .when({ ...open, tokenHash: 'h2' })
      .thenNothing());
  it('is not opened again after it ended', () => past(opened, ended).when(open).thenNothing());

  it('notes no use within a minute', () => past(opened).when(useAt('00:00:59.999')).thenNothing());
  it('notes a use after a minute', () => past(opened).when(useAt('00:01:00.000')).then(usedAt('00:01:00.000')));
  it('notes no use within a minute of the last', () =>
    past(opened, usedAt('00:01:00.000')).when(useAt('00:01:59.999')).thenNothing());

  it('lives through almost half an hour without use', () =>
    past(opened).when(useAt('00:29:59.999')).then(usedAt('00:29:59.999')));
  it('has run out after half an hour without use', () =>
    past(opened).when(useAt('00:30:00.000')).thenRefused('token_expired'));
  it('counts the half hour from the last use', () => {
    past(opened, usedAt('00:20:00.000')).when(useAt('00:49:59.999')).then(usedAt('00:49:59.999'));
    past(opened, usedAt('00:20:00.000')).when(useAt('00:50:00.000')).thenRefused('token_expired');
  });
  it('has run out after eight hours, however busy', () => {
    past(opened, ...busyDay)
      .when(useAt('07:59:59.999'))
      .then(usedAt('07:59:59.999'));
    past(opened, ...busyDay, usedAt('07:59:00.000'))
      .when(useAt('08:00:00.000'))
      .thenRefused('token_expired');
  });

  it('is ended', () => past(opened).when(end).then(ended));
  it('is ended once', () =>
    past(opened, ended)
      .when({ ...end, at: '2030-01-01T01:00:00.000Z' })
      .thenNothing());
  it('is not used after it ended', () => past(opened, ended).when(useAt('00:01:00.000')).thenRefused('invalid_token'));
  it('is neither used nor ended before it was opened', () => {
    past().when(useAt('00:01:00.000')).thenRefused('invalid_token');
    past().when(end).thenRefused('invalid_token');
  });
});
