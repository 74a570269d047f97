import { given } from '../../../test/support/given';
import { hasRunOut, type OpenSession, session } from './session';
import { end, ended, open, opened, usedAt } from './session.fixtures';

const past = given(session);
describe('a session', () => {
  it('is opened', () => past().when(open).then(opened));
  it('is opened once', () =>
    past(opened)
      .when({ ...open, tokenHash: 'h2' })
      .thenNothing());
  it('is not opened again after it ended', () => past(opened, ended).when(open).thenNothing());

  it('expires after its hours, whether it was used or not', () => {
    for (const events of [[opened], [opened, usedAt('00:20:00.000')]]) {
      const state = events.reduce(session.evolve, session.initial) as OpenSession;
      expect(hasRunOut(state, '2030-01-01T07:59:59.999Z')).toBe(false);
      expect(hasRunOut(state, '2030-01-01T08:00:00.000Z')).toBe(true);
    }
  });

  it('is ended', () => past(opened).when(end).then(ended));
  it('is ended once', () =>
    past(opened, ended)
      .when({ ...end, at: '2030-01-01T01:00:00.000Z' })
      .thenNothing());
  it('is not ended before it was opened', () => past().when(end).thenRefused('invalid_token'));
});
