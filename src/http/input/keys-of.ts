const LARGE_OBJECT_KEYS = 200;

/** Large objects only: listing ten thousand keys takes half as long as parsing them, and several checks do it. */
const listed = new WeakMap<object, readonly string[]>();

/** The keys of an object in a body. A body never changes after parsing. */
export function keysOf(value: object): readonly string[] {
  const known = listed.get(value);
  if (known !== undefined) return known;
  const keys = Object.keys(value);
  if (keys.length >= LARGE_OBJECT_KEYS) listed.set(value, keys);
  return keys;
}
