import { type IncomingHttpHeaders } from 'node:http';
import { type Problem, text } from './checks';
import { type Issue } from '../../kernel/errors';
import { isReadable } from './json-body';

/** Any readable text that a header can carry without losing its ends. */
export const idempotencyKey = text({
  max: 256,
  pattern: /^\S(.*\S)?$/,
  form: 'a text without spaces at its ends',
  description: 'Names the intent: the same key with the same intent is one request, however often it is sent',
  example: 'order-1017-payment-1',
});

export const IDEMPOTENCY_HEADERS = ['X-Idempotency-Key', 'Idempotency-Key'] as const;
const HEADERS = IDEMPOTENCY_HEADERS.map((name) => name.toLowerCase());

export type GivenKey = Readonly<{ key: string | undefined; issues: readonly Issue[] }>;

/** The key from wherever it was sent. Keys in several places must be the same byte for byte. The body's own is checked with the body. */
export function givenKey(headers: IncomingHttpHeaders, inBody: unknown): GivenKey {
  const sent = HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [{ name, value: inUtf8(headers[name]) }]));
  const issues = sent.flatMap(({ name, value }): Issue[] =>
    [...idempotencyKey.problems(value), ...unreadableIn(value)].map(({ code, message }) => ({
      code,
      field: name,
      message,
    })),
  );
  const keys = [...sent.map(({ value }) => value), inBody].filter((value) => typeof value === 'string');
  if (keys.some((key) => key !== keys[0])) issues.push(mismatch);
  return { key: keys[0], issues };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Node reads each byte of a header as a character of its own; a key of other letters comes as their UTF-8. */
function inUtf8(value: string | string[] | undefined): string {
  const bytes = Buffer.from(String(value), 'latin1');
  try {
    return decoder.decode(bytes);
  } catch {
    return String(value);
  }
}

const unreadableIn = (value: string): readonly Problem[] =>
  isReadable(value) ? [] : [{ code: 'unreadable_text', message: 'must not contain control characters' }];

const mismatch: Issue = {
  code: 'IDEMPOTENCY_KEY_MISMATCH',
  field: 'idempotency_key',
  message: 'differs between the places it was sent in; send it once',
};
