import { given } from '../../../test/support/given';
import { pairingSession } from './pairing-session';
import { type PairingSessionEvent } from '../../events/pairing-session.events';
import * as is from './pairing-session.fixtures';

const past = given(pairingSession);
const { started, missed, approved, rejected, collected, expiredAt, late } = is;
const withCode = [is.look, is.approve, is.reject];

describe('a pairing session', () => {
  it('is started', () => past().when(is.start).then(started));
  it('is started once', () => past(started, approved).when(is.start).thenNothing());
  it('is read without leaving a trace', () => past(started).when(is.look).thenNothing());
  it('is approved with all that was requested', () => past(started).when(is.approve).then(approved));
  it('is approved with less', () =>
    past(started)
      .when({ ...is.approve, scopes: [is.read] })
      .then(is.approvedWith([is.read])));
  it('is never approved with more', () =>
    past(started)
      .when({ ...is.approve, scopes: ['transaction_contexts.read'] })
      .thenRefused('scope_not_allowed', { scopes: ['transaction_contexts.read'] }));
  it('is rejected', () => past(started).when(is.reject).then(rejected));
  it.each([...withCode, is.collect, is.expire])('must exist ($kind)', (command) =>
    past().when(command).thenRefused('resource_not_found'),
  );

  it('returns its token once', () => past(started, approved).when(is.collect).then(collected));
  it.each([
    ['pending', [started]],
    ['rejected', [started, rejected]],
  ])('hands out no token when %s', (_, events) =>
    past(...events)
      .when(is.collect)
      .thenNothing(),
  );
});

describe('a decided pairing session', () => {
  it('is approved again by the same wallet in the same way only', () => {
    past(started, approved, collected).when(is.approve).thenNothing();
    for (const other of [{ deviceId: 'dev_other' }, { scopes: [is.read] }] as const) {
      past(started, approved)
        .when({ ...is.approve, ...other })
        .thenRefused('invalid_status_transition', { current_status: 'approved' });
    }
  });
  it('is not rejected after its approval', () =>
    past(started, approved).when(is.reject).thenRefused('invalid_status_transition', { current_status: 'approved' }));
  it('is not approved after its rejection', () =>
    past(started, rejected).when(is.approve).thenRefused('invalid_status_transition', { current_status: 'rejected' }));
  it('stays rejected', () => past(started, rejected).when(is.reject).thenNothing());
  it.each([approved, rejected])('does not expire ($type)', (event) =>
    past(started, event).when(is.expire).thenNothing(),
  );
  it.each([approved, rejected])('counts no more wrong codes ($type)', (event) =>
    past(started, event)
      .when({ ...is.look, rightCode: false })
      .thenNothing(),
  );
});

describe('time and wrong codes', () => {
  it.each([...withCode, is.expire])('end a session that is late ($kind)', (command) =>
    past(started, missed(1))
      .when({ ...command, at: late })
      .then(expiredAt(late)),
  );
  it('leave it alone a moment before', () =>
    past(started)
      .when({ ...is.expire, at: '2030-01-01T00:09:59.999Z' })
      .thenNothing());

  it.each(withCode)('are counted one by one, and the fifth ends it ($kind)', (command) => {
    const wrong = { ...command, rightCode: false };
    const history: PairingSessionEvent[] = [started];
    const at = wrong.at;
    const seen = [1, 2, 3, 4, 5, 6].map(() => {
      const events = pairingSession.decide(wrong, history.reduce(pairingSession.evolve, pairingSession.initial));
      history.push(...events);
      return events;
    });
    expect(seen).toEqual([[missed(1)], [missed(2)], [missed(3)], [missed(4)], [missed(5), expiredAt(at)], []]);
  });
  it.each(withCode)('leave nothing to the right code afterwards ($kind)', (command) =>
    past(started, missed(5), expiredAt(late)).when(command).thenNothing(),
  );
  it('do no harm before the fifth', () => past(started, missed(4)).when(is.approve).then(approved));
});
