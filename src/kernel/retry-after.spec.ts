import { retryAfterSeconds } from './retry-after';

describe('Retry-After', () => {
  const now = new Date('2030-01-01T00:00:00.000Z');
  it.each([
    ['120', 120],
    ['0', 0],
    ['Tue, 01 Jan 2030 00:01:00 GMT', 60],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0],
    ['-5', null],
    ['1e9', null],
    ['12345678901234567890', null],
    ['soon', null],
    ['', null],
  ])('reads %p as %p', (header, seconds) => expect(retryAfterSeconds(header, now)).toBe(seconds));
  it('may be absent', () => expect(retryAfterSeconds(undefined, now)).toBeNull());
});
