import { exactTime, relativeTime, remaining, withTimes } from './time-words.ts';

const NOW = Date.parse('2030-01-01T12:00:00.000Z');
const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];
const within = (seconds: number): string => relativeTime(new Date(NOW + seconds * 1000).toISOString(), NOW);

describe('a moment in words', () => {
  it.each([
    ['in 8 hours', 8 * HOUR - 5],
    ['in 7 days', 7 * DAY - 5],
    ['in 30 days', 30 * DAY - 5],
    ['in 7 hours', 7.4 * HOUR],
    ['8 hours ago', -8 * HOUR + 5],
    ['2 days ago', -1.5 * DAY],
    ['in 1 hour', HOUR - 10],
    ['tomorrow', DAY - 10],
    ['in 59 seconds', 59],
    ['2 minutes ago', -90],
    ['just now', 9],
    ['in 10 seconds', 10],
    ['31 Jan 2030', 30 * DAY],
  ])('is said to the nearest: %s', (words, seconds) => {
    expect(within(seconds)).toBe(words);
  });

  it.each([
    ['7 days', 7 * DAY - 5],
    ['2 days', 2 * DAY],
    ['47:59:59', 2 * DAY - 1],
    ['15:00', 15 * MINUTE],
    ['0:05', 5],
  ])('is counted down: %s', (words, seconds) => {
    expect(remaining(seconds)).toBe(words);
  });
});

describe('the moments in a text', () => {
  const at = '2030-01-01T12:00:00.000Z';

  it('are shown as people read them', () => {
    expect(withTimes(`from ${at} until ${at}.`)).toBe(`from ${exactTime(at)} until ${exactTime(at)}.`);
    expect(exactTime(at)).toContain('1 Jan 2030');
  });

  it('are left as they are where they are none', () => {
    expect(withTimes('2030-99-99T99:99Z, 2030-01-01, T12Z')).toBe('2030-99-99T99:99Z, 2030-01-01, T12Z');
  });
});
