/**
 * Collects a text one UTF-16 code unit at a time. Replacing ten thousand characters of a text costs ten times as much
 * with a regular expression.
 */
export class CodeWriter {
  private codes: Uint16Array;
  private length = 0;

  constructor(capacity: number) {
    this.codes = new Uint16Array(capacity);
  }

  put(code: number): void {
    if (this.length === this.codes.length) this.grow();
    this.codes[this.length] = code;
    this.length += 1;
  }

  putAll(text: string): void {
    for (let at = 0; at < text.length; at += 1) this.put(text.charCodeAt(at));
  }

  toString(): string {
    return Buffer.from(this.codes.buffer, 0, this.length * 2).toString('utf16le');
  }

  private grow(): void {
    const wider = new Uint16Array(this.codes.length * 2 + 16);
    wider.set(this.codes);
    this.codes = wider;
  }
}

/** What each ASCII character is written as; 0 drops it. */
export type Kept = Uint8Array;

export function keeping(signs: string): Kept {
  const kept = new Uint8Array(0x80);
  for (const sign of signs) kept[sign.charCodeAt(0)] = sign.charCodeAt(0);
  return kept;
}

/** The text with only what is kept of its ASCII characters; the others go or stay together. */
export function onlyKept(text: string, kept: Kept, keepsOthers = false): string {
  const writer = new CodeWriter(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const as = code < 0x80 ? (kept[code] ?? 0) : keepsOthers ? code : 0;
    if (as !== 0) writer.put(as);
  }
  return writer.toString();
}
