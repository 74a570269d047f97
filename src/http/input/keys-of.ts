const MANY = 200;

/** Of large objects only: to list ten thousand keys takes half as long as to parse them, and several checks look at them all. */
const listed = new WeakMap<object, readonly string[]>();

/** The keys of an object of a body. A body is not changed after it was parsed. */
export function keysOf(value: object): readonly string[] {
  const known = listed.get(value);
  if (known !== undefined) return known;
  const keys = Object.keys(value);
  if (keys.length >= MANY) listed.set(value, keys);
  return keys;
}
