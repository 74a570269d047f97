import { type ServiceSecret } from '../platform/secrets/service-secret';
import { CsrfProofs } from './csrf-proofs';

/** As they are once this many service secrets have been in use. */
const proofsUnder = (number: number): CsrfProofs =>
  new CsrfProofs({ number, key: (purpose: string, of: number) => `${purpose} ${of}` } as unknown as ServiceSecret);

describe('the proof that a call comes from our own page', () => {
  it('is accepted for its session, under the service secret in use and every earlier one', () => {
    for (const number of [1, 2, 3])
      expect(proofsUnder(3).matches(proofsUnder(number).of('session'), 'session')).toBe(true);
  });
  it.each([
    ['none', undefined],
    ['that of another session', proofsUnder(3).of('another')],
    ['one under a secret that is not in use yet', proofsUnder(4).of('session')],
    ['an empty one', ''],
  ])('is not accepted: %s', (_, given) => expect(proofsUnder(3).matches(given, 'session')).toBe(false));
});
