import { roughSize } from './rough-size';

const MiB = 1024 * 1024;

/** What a body of 64 KiB can hold: the estimate must not be less than what V8 takes, nor many times more. */
describe('the rough size of a value', () => {
  it.each<[string, unknown, number, number]>([
    ['one text', { text: 'x'.repeat(65_000) }, 65_000, 140_000],
    ['many short entries', Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`k${at}`, at])), 300_000, MiB],
    ['many empty lists', Array.from({ length: 20_000 }, () => []), 640_000, 2 * MiB],
    ['an ordinary record', { id: 'pr_1', status: 'pending', amount: '12.50', version: 4, memo: null }, 200, 1_000],
    ['nothing', undefined, 1, 100],
  ])('of %s', (_, value, least, most) => {
    expect(roughSize(value)).toBeGreaterThanOrEqual(least);
    expect(roughSize(value)).toBeLessThanOrEqual(most);
  });
});
