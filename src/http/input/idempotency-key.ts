import { type IncomingHttpHeaders } from 'node:http';
import { type Problem, text } from './checks';
import { type Issue, type Refusal, refuse } from '../../kernel/errors';
import { isReadable } from './json-body';

/**
 * Any readable text that a header can carry unchanged, without spaces at its ends, and a path too: clients and proxies
 * take `.` and `..` for another path, even percent-encoded, so that nobody could ask for what was made under them.
 */
export const idempotencyKey = text({
  max: 256,
  pattern: /^(?!\.{1,2}$)[^ ](.*[^ ])?$/,
  form: 'a text without spaces at its ends, and other than . and .., which mean another path',
  description: 'Identifies the intent: the same key with the same intent is one request, however often it is sent',
  example: 'order-1017-payment-1',
});

export const IDEMPOTENCY_HEADERS = ['X-Idempotency-Key', 'Idempotency-Key'] as const;
const HEADERS = IDEMPOTENCY_HEADERS.map((name) => name.toLowerCase());

export type GivenKey = Readonly<{ key: string | undefined; issues: readonly Issue[] }>;

/**
 * The key from wherever it was sent. Copies must match byte for byte, a header's without the quotes it may have. The
 * body's is checked with the body.
 */
export function givenKey(headers: IncomingHttpHeaders, inBody: unknown): GivenKey {
  const sent = HEADERS.flatMap((name) => {
    const value = headers[name];
    if (value === undefined) return [];
    const key = unquoted(String(value));
    return [{ name, isQuotedWrongly: key === undefined, bytes: Buffer.from(key ?? String(value), 'latin1') }];
  });
  const inPlaces = [...sent.map(({ bytes }) => bytes), ...(typeof inBody === 'string' ? [Buffer.from(inBody)] : [])];
  const [first] = inPlaces;
  const isNoText = inBody !== undefined && typeof inBody !== 'string';
  const differ = (isNoText && sent.length > 0) || inPlaces.some((bytes) => !bytes.equals(first ?? bytes));
  // Also reported if the keys differ: a caller that keeps the invalid one would be refused a second time.
  const issues = sent.flatMap(({ name, bytes, isQuotedWrongly }) =>
    (isQuotedWrongly ? [BADLY_QUOTED] : problemsOf(inUtf8(bytes))).map(({ code, message }): Issue => ({
      code,
      field: name,
      message,
    })),
  );
  return { key: first && inUtf8(first), issues: differ ? [...issues, mismatch] : issues };
}

const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * In quotes, as the `Idempotency-Key` header is defined (a string of RFC 9651), it is the key between them; without, it
 * is the key itself. Undefined if it begins with a quote and is no such string.
 */
function unquoted(value: string): string | undefined {
  if (!value.startsWith('"')) return value;
  return QUOTED.exec(value)?.[1]?.replace(/\\(["\\])/g, '$1');
}

const BADLY_QUOTED: Problem = {
  code: 'malformed',
  message: 'begins with a quote and is no string of RFC 9651; escape quotes and backslashes, and end with a quote',
};

// A byte order mark is a character of the key like any other.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Node decodes each byte of a header as one character; a key with non-ASCII letters arrives as UTF-8 bytes. */
function inUtf8(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function problemsOf(key: string | undefined): readonly Problem[] {
  if (key === undefined) return [{ code: 'malformed', message: 'must be UTF-8' }];
  const unreadable = { code: 'unreadable_text', message: 'must not contain control characters' };
  return [...idempotencyKey.problems(key), ...(isReadable(key) ? [] : [unreadable])];
}

const MISMATCH = 'IDEMPOTENCY_KEY_MISMATCH';
const KEY_FIELD = /^(?:x-)?idempotency[-_]key$/;

/** The refusal with a code of its own: keys that differ, whatever else is wrong with one of them, and nothing else. */
export function refusalOfKeys(issues: readonly Issue[]): Refusal | undefined {
  const isAboutKeys = issues.every(({ field }) => KEY_FIELD.test(field));
  return isAboutKeys && issues.some(({ code }) => code === MISMATCH) ? refuse(MISMATCH, { issues }) : undefined;
}

const mismatch: Issue = {
  code: MISMATCH,
  field: 'idempotency_key',
  message: 'differs between the places it was sent in; send it once',
};
