import { trouble } from './exit-codes.ts';

export type RawRequest = Readonly<{ headers: Readonly<Record<string, string>>; body: Buffer }>;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const REQUEST_LINE = /^[A-Z]+ \S+( HTTP\/[\d.]+)?$/;

/**
 * A request as it was on the wire, with or without its request line, with wire or editor line endings. The body is all
 * that follows the empty line, byte for byte. A repeated webhook header is refused: receivers differ in which they use.
 */
export function parseRequest(bytes: Buffer): RawRequest {
  const end = endOfHeaders(bytes);
  if (end === undefined)
    throw trouble('the file is not an HTTP request: there must be an empty line between headers and body');
  const lines = bytes.subarray(0, end.headers).toString('latin1').split(/\r?\n/);
  if (REQUEST_LINE.test(lines[0] ?? '')) lines.shift();
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 1 || !NAME.test(name))
      throw trouble('the file is not an HTTP request: a line before the body is not a header');
    if (Object.hasOwn(headers, name) && name.startsWith('webhook-')) throw trouble(`${name} occurs twice`);
    headers[name] = line.slice(colon + 1).trim();
  }
  return { headers, body: bytes.subarray(end.body) };
}

function endOfHeaders(bytes: Buffer): Readonly<{ headers: number; body: number }> | undefined {
  const ends = ['\r\n\r\n', '\n\n'].flatMap((mark) => {
    const at = bytes.indexOf(mark);
    return at === -1 ? [] : [{ headers: at, body: at + mark.length }];
  });
  return ends.sort((a, b) => a.headers - b.headers)[0];
}
