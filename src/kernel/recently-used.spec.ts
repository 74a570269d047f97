import { RecentlyUsed } from './recently-used';

describe('a cache of recently used entries', () => {
  const held = (cache: RecentlyUsed<number, string>, upTo: number): number[] =>
    Array.from({ length: upTo }, (_, key) => key).filter((key) => cache.get(key) !== undefined);

  it('holds no more than its limit, and always the newest', () => {
    const cache = new RecentlyUsed<number, string>(10);
    for (let key = 0; key < 1_000; key += 1) cache.set(key, String(key));
    const kept = held(cache, 1_000);
    expect(kept.length).toBeLessThanOrEqual(10);
    expect(kept).toEqual(expect.arrayContaining([996, 997, 998, 999]));
  });

  it('keeps an entry as long as it is used', () => {
    const cache = new RecentlyUsed<number, string>(10);
    cache.set(-1, 'busy');
    for (let key = 0; key < 1_000; key += 1) {
      cache.set(key, String(key));
      expect(cache.get(-1)).toBe('busy');
    }
  });

  it('returns the last value put', () => {
    const cache = new RecentlyUsed<number, string>(4);
    cache.set(1, 'first');
    cache.set(2, 'second');
    cache.set(3, 'third');
    cache.set(1, 'changed');
    expect(cache.get(1)).toBe('changed');
  });

  it('deletes an entry from both halves', () => {
    const cache = new RecentlyUsed<number, string>(4);
    cache.set(1, 'old');
    cache.set(2, 'other');
    cache.set(3, 'another');
    cache.set(1, 'new');
    cache.delete(1);
    expect(cache.get(1)).toBeUndefined();
    expect(cache.get(2)).toBe('other');
    cache.clear();
    expect(held(cache, 5)).toEqual([]);
  });

  describe('with a size', () => {
    const size = { bytes: 100, of: (text: unknown) => String(text).length };
    const sized = () => new RecentlyUsed<number, string>(1_000, size);

    it('holds no more than its bytes, and always the newest', () => {
      const cache = sized();
      for (let key = 0; key < 1_000; key += 1) {
        cache.set(key, 'x'.repeat(1 + (key % 30)));
        cache.get(key - 5);
        const kept = Array.from({ length: key + 1 }, (_, at) => cache.peek(at) ?? '');
        expect(kept.join('').length).toBeLessThanOrEqual(100);
        expect(kept.at(-1)).not.toBe('');
      }
    });

    it('keeps an entry that is replaced again and again, and as many others as fit', () => {
      const cache = sized();
      for (let round = 0; round < 100; round += 1) {
        cache.set(1, `${round} ${'x'.repeat(10)}`);
        expect(cache.get(1)).toMatch(`${round} `);
      }
      cache.set(2, 'other');
      expect(cache.get(1)).toMatch('99 ');
    });

    it('drops an entry that has outgrown it, instead of its old value', () => {
      const cache = sized();
      cache.set(1, 'small');
      cache.set(1, 'x'.repeat(51));
      expect(cache.get(1)).toBeUndefined();
      cache.set(2, 'other');
      expect(cache.get(2)).toBe('other');
    });
  });
});
