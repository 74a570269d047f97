import { configure } from 'safe-stable-stringify';

// Of the libraries that sort keys, this one creates the least garbage; every event of the log goes through it.
const stringify = configure({ deterministic: true, strict: true, circularValue: Error });

/** RFC 8785: one text per value, whatever the order of its keys. Digests and comparisons use this text. */
export function canonicalJson(value: unknown): string {
  const text = stringify(value);
  if (text === undefined) throw new TypeError('this value has no JSON form');
  return text;
}
