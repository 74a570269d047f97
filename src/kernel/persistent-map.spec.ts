import fc from 'fast-check';
import { emptyMap, lookUp, type PersistentMap, withEntry, withoutEntry } from './persistent-map';

/** The last four have equal hashes by pairs, as far as the trie looks. */
const key = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('ap_1', 'ap_2', 'k4uzx', 'kf2ad', 'k4uzy', 'kf2ae'));
const step = fc.record({ key, value: fc.option(fc.nat(), { nil: undefined }) });

describe('a persistent map', () => {
  it('holds what a plain map holds, in every version of it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let now: PersistentMap<number> = emptyMap;
        const plain = new Map<string, number>();
        const versions: [PersistentMap<number>, ReadonlyMap<string, number>][] = [];
        for (const { key: name, value } of steps) {
          now = value === undefined ? withoutEntry(now, name) : withEntry(now, name, value);
          if (value === undefined) plain.delete(name);
          else plain.set(name, value);
          versions.push([now, new Map(plain)]);
        }
        const names = steps.map((one) => one.key);
        for (const [version, expected] of versions) {
          expect(version.size).toBe(expected.size);
          expect(names.map((name) => lookUp(version, name))).toEqual(names.map((name) => expected.get(name)));
        }
      }),
    );
  });
});
