import fc from 'fast-check';
import { bytesOf, derivedId, idOfBytes, newId, uuidOf } from './ids';

describe('ids', () => {
  it('are a prefix and 26 characters of Crockford base32', () => {
    expect(newId('dev')).toMatch(/^dev_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  });

  it('carry a UUIDv7', () => {
    expect(uuidOf(newId('evt'))).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('sort by the time they were made', () => {
    const made = Array.from({ length: 1000 }, () => newId('dev'));
    expect([...made].sort()).toEqual(made);
  });

  it('give their bytes back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        expect([...bytesOf(idOfBytes('evt', bytes))]).toEqual([...bytes]);
      }),
    );
  });

  it('follow from their parts when derived, and from where one part ends', () => {
    expect(derivedId('pr', 'con_1', 'key')).toBe(derivedId('pr', 'con_1', 'key'));
    expect(derivedId('pr', 'con_1', 'key')).not.toBe(derivedId('pr', 'con_1k', 'ey'));
  });
});
