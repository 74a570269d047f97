import { type IncomingHttpHeaders } from 'node:http';
import { text } from './checks';
import { type Issue } from '../kernel/errors';

/** Visible ASCII without spaces: the same bytes in a header and in a body, with nothing that could be trimmed on the way. */
export const idempotencyKey = text({
  max: 256,
  pattern: /^[\x21-\x7e]+$/,
  form: 'visible ASCII characters without spaces',
  description: 'Names the intent: the same key with the same intent is one request, however often it is sent',
  example: 'order-1017-payment-1',
});

const HEADERS = ['x-idempotency-key', 'idempotency-key'] as const;

export type GivenKey = Readonly<{ key: string | undefined; issues: readonly Issue[] }>;

/** The key from wherever it was sent. Keys in several places must be the same byte for byte. The body's own is checked with the body. */
export function givenKey(headers: IncomingHttpHeaders, inBody: unknown): GivenKey {
  const sent = HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [{ name, value: headers[name] }]));
  const issues = sent.flatMap(({ name, value }): Issue[] =>
    idempotencyKey.problems(value).map(({ code, message }) => ({ code, field: name, message })),
  );
  const keys = [...sent.map(({ value }) => value), inBody].filter((value) => typeof value === 'string');
  if (keys.some((key) => key !== keys[0])) issues.push(mismatch);
  return { key: keys[0], issues };
}

const mismatch: Issue = {
  code: 'IDEMPOTENCY_KEY_MISMATCH',
  field: 'idempotency_key',
  message: 'differs between the places it was sent in; send it once',
};
