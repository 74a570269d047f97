/**
 * Whether a value survives JSON unchanged: nothing that JSON drops (undefined), changes (a Date, NaN, -0) or calls
 * first (toJSON). Such a value can be used in place of what would be parsed from its text.
 */
export function isPlainJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      if (value === null) return true;
      return Array.isArray(value) ? isPlainArray(value) : isPlainObject(value);
    default:
      return false;
  }
}

function isPlainArray(values: readonly unknown[]): boolean {
  // By index, because every() skips holes.
  for (let index = 0; index < values.length; index += 1) if (!isPlainJson(values[index])) return false;
  return true;
}

function isPlainObject(value: object): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const name in value) if (!isPlainJson((value as Record<string, unknown>)[name])) return false;
  return true;
}
