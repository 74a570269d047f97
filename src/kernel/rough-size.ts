const TEXT = 24;
const ENTRY = 64;
const OTHER = 16;

/**
 * About how much memory a value takes, rather too much than too little: two bytes a character, and for an entry what it
 * takes in a large object. Counting costs less than a hundredth of writing the value to a store.
 */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return TEXT + 2 * value.length;
  if (typeof value !== 'object' || value === null) return OTHER;
  let size = ENTRY;
  if (Array.isArray(value)) for (const entry of value as readonly unknown[]) size += OTHER + roughSize(entry);
  else
    for (const key of Object.keys(value))
      size += ENTRY + 2 * key.length + roughSize((value as Readonly<Record<string, unknown>>)[key]);
  return size;
}
