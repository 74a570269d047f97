import { given } from '../../../test/support/given';
import { type ServiceSecretEvent } from '../../events/service-secret.events';
import { learnFrom, type SecretCommand, secretHistory } from './secret-history';
import { ServiceSecret } from './service-secret';

const at = '2030-01-01T00:00:00.000Z';
const later = '2031-01-01T00:00:00.000Z';
const adopt = (fingerprint: string): SecretCommand => ({ kind: 'adopt', fingerprint, at });
const rotate = (from: string, to: string): SecretCommand => ({
  kind: 'rotate',
  from,
  to,
  olderKeysSealed: 'sealed',
  at: later,
});
const adopted = (fingerprint: string): ServiceSecretEvent => ({
  type: 'ServiceSecretAdopted',
  data: { fingerprint, adopted_at: at },
});
const rotated = (number: number, fingerprint: string): ServiceSecretEvent => ({
  type: 'ServiceSecretRotated',
  data: { number, fingerprint, older_keys_sealed: 'sealed', rotated_at: later },
});
const deciding = (past: readonly ServiceSecretEvent[], command: SecretCommand) => () =>
  secretHistory.decide(command, past.reduce(secretHistory.evolve, secretHistory.initial));

describe('the service secrets of a log', () => {
  const past = given(secretHistory);

  it('begin with the one it is first started with', () => {
    past().when(adopt('a')).then(adopted('a'));
    past(adopted('a')).when(adopt('a')).thenNothing();
    expect(deciding([adopted('a')], adopt('b'))).toThrow(
      /^SERVICE_SECRET is not the one this log was begun with[^\n]*$/,
    );
  });

  it('follow each other, numbered from 1', () => {
    past(adopted('a')).when(rotate('a', 'b')).then(rotated(2, 'b'));
    past(adopted('a'), rotated(2, 'b')).when(rotate('b', 'c')).then(rotated(3, 'c'));
  });

  it('are replaced by the holder of the newest only', () => {
    expect(deciding([], rotate('a', 'b'))).toThrow('SERVICE_SECRET');
    expect(deciding([adopted('a')], rotate('x', 'b'))).toThrow('SERVICE_SECRET is not');
    expect(deciding([adopted('a'), rotated(2, 'b')], rotate('a', 'c'))).toThrow(`replaced by another at ${later}`);
    expect(deciding([adopted('a'), rotated(2, 'b')], rotate('x', 'c'))).toThrow(`has used since ${later}`);
  });

  it('never come back', () => {
    expect(deciding([adopted('a'), rotated(2, 'b')], rotate('b', 'a'))).toThrow(/^NEW_SERVICE_SECRET was a secret/);
    expect(deciding([adopted('a'), rotated(2, 'b')], adopt('a'))).toThrow(
      `SERVICE_SECRET was replaced by another at ${later}; start with the new one`,
    );
    past(adopted('a'), rotated(2, 'b')).when(adopt('b')).thenNothing();
  });

  it('are unchanged when the same rotation is requested again, whichever secret is named as the old one', () => {
    past(adopted('a'), rotated(2, 'b')).when(rotate('a', 'b')).thenNothing();
    past(adopted('a'), rotated(2, 'b')).when(rotate('x', 'b')).thenNothing();
  });

  it('leave their keys to the newest, and to no other', () => {
    const [first, second] = ['a', 'b'].map((letter) => ServiceSecret.pendingHistory(letter.repeat(32))) as [
      ServiceSecret,
      ServiceSecret,
    ];
    learnFrom(secretHistory.initial, first);
    expect(first.number).toBe(1);
    const older_keys_sealed = first.sealedFor(second);
    const replaced = [
      adopted(first.fingerprint),
      { type: 'ServiceSecretRotated', data: { ...rotated(2, second.fingerprint).data, older_keys_sealed } } as const,
    ].reduce<typeof secretHistory.initial>(
      (history, event) => secretHistory.evolve(history, event as ServiceSecretEvent),
      secretHistory.initial,
    );
    expect(() => learnFrom(replaced, ServiceSecret.pendingHistory('a'.repeat(32)))).toThrow('was replaced by another');
    expect(() => learnFrom(replaced, ServiceSecret.pendingHistory('x'.repeat(32)))).toThrow('SERVICE_SECRET is not');
    learnFrom(replaced, second);
    expect([second.number, second.key('csrf', 1)]).toEqual([2, first.key('csrf')]);
  });
});
