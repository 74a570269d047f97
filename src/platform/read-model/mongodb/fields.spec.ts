import fc from 'fast-check';
import { jsonObjects } from '../../../../test/contract/read-model/arbitraries';
import { escapeKey, fromFields, toFields, unescapeKey } from './fields';

const anyKey = fc.oneof(
  fc.string({ unit: fc.constantFrom('%', '.', '$', '\0', '_', '2', '4', 'E', '5', 'F', 'a') }),
  fc.constantFrom('', '__proto__', '_bsontype', 'constructor', '%5F_proto__', '%63onstructor', '%25', '%%'),
);

describe('documents as MongoDB fields', () => {
  it('escapes every key reversibly', () => {
    fc.assert(fc.property(anyKey, (key) => expect(unescapeKey(escapeKey(key))).toBe(key)));
  });

  it('never maps two keys to one', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (one, other) => expect(escapeKey(one) === escapeKey(other)).toBe(one === other)),
    );
  });

  it('leaves no key that MongoDB or its driver would misinterpret', () => {
    const harmful = (key: string): boolean => key === '' || key === '_bsontype' || key in {} || /[.$\0]/.test(key);
    fc.assert(fc.property(anyKey, (key) => expect(harmful(escapeKey(key))).toBe(false)));
  });

  it('leaves ordinary keys as they are', () => {
    for (const key of ['id', 'created_at', 'Größe', 'a-b', '_id', '0', 'a b']) expect(escapeKey(key)).toBe(key);
  });

  it('restores any JSON object unchanged, with its keys in order', () => {
    fc.assert(
      fc.property(jsonObjects, (object) =>
        expect(JSON.stringify(fromFields(toFields(object)))).toBe(JSON.stringify(object)),
      ),
    );
  });

  it('reads values as JSON does', () => {
    const loose = { at: new Date(0), none: undefined, not: NaN, list: [undefined], zero: -0 };
    expect(toFields(loose)).toEqual({ at: '1970-01-01T00:00:00.000Z', not: null, list: [null], zero: 0 });
  });

  it('refuses what JSON refuses', () => {
    expect(() => toFields({ big: 1n })).toThrow(TypeError);
  });
});
