import { type Refusal } from '../../kernel/errors';
import { refuseExpired, refuseSkewed } from './assertion-times';

const NOW = 1_900_000_000;
const now = new Date(NOW * 1000);

/** The response to an assertion with these times, relative to now. */
const verdict = (iat: number, exp: number, nbf?: number): string => {
  const claims = { aud: '', jti: '', iat: NOW + iat, exp: NOW + exp, ...(nbf === undefined ? {} : { nbf: NOW + nbf }) };
  try {
    refuseExpired(claims, now);
    refuseSkewed(claims, now);
    return 'fine';
  } catch (error) {
    return (error as Refusal).code;
  }
};

describe('the times of an assertion', () => {
  it.each([
    ['issued now', 0, 120, 'fine'],
    ['at its longest', 0, 300, 'fine'],
    ['a second too long', 0, 301, 'clock_skew'],
    ['from a clock 60 s ahead', 60, 180, 'fine'],
    ['from a clock 61 s ahead', 61, 181, 'clock_skew'],
    ['from a clock an hour ahead', 3600, 3720, 'clock_skew'],
    ['ended within the skew', -179, -59, 'fine'],
    ['ended with the skew', -180, -60, 'invalid_assertion'],
    ['from a clock an hour behind', -3600, -3480, 'invalid_assertion'],
    ['too long, and ended as well', -4000, -61, 'invalid_assertion'],
    ['too long, and not ended yet', -400, 10, 'clock_skew'],
  ])('%s', (_name, iat, exp, expected) => expect(verdict(iat, exp)).toBe(expected));

  it('count nbf like iat', () => {
    expect(verdict(0, 120, 60)).toBe('fine');
    expect(verdict(0, 120, 61)).toBe('clock_skew');
    expect(verdict(61, 181, 0)).toBe('clock_skew');
  });

  it('come with ours when the clock is wrong', () => {
    expect(() => refuseSkewed({ aud: '', jti: '', iat: NOW + 90, exp: NOW + 100 }, now)).toThrow(
      expect.objectContaining({ details: { server_time: '2030-03-17T17:46:40.000Z' } }),
    );
  });
});
