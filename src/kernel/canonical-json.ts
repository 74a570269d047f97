import canonicalize from 'canonicalize';

/** RFC 8785: one text for one value, whatever order its keys were written in. What is digested or compared is this text. */
export function canonicalJson(value: object): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('this value has no JSON form');
  return text;
}
