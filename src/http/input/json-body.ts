import { refuse } from '../../kernel/errors';
import { type Issue } from '../../kernel/errors';
import { isPlainObject, LAYOUT } from './checks';
import { noteIssues } from './input-issues';

const MAX_DEPTH = 16;
// Enough to mend a body by; without a bound a small body of many bad values under a long key would make a huge answer.
const MAX_ISSUES = 100;
const MAX_FIELD = 300;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
// C0 and C1 controls, and the characters that turn the direction of text around: they make people read something else.
// Line ends and tabs are left out: whether they fit depends on the field.
const UNREADABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of a body as one JSON object, or a refusal. Problems inside strings and numbers are noted for the pipe. */
export function parseJsonBody(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    throw refuse('invalid_json', { message: 'The body is not JSON in valid UTF-8. Send one JSON object.' });
  }
  if (!isPlainObject(value)) throw refuse('invalid_json', { message: 'The body must be one JSON object.' });
  const issues: Issue[] = [];
  inspect(value, '', 1, issues);
  noteIssues(value, issues);
  return value;
}

/** Walks at most 16 levels, so that nothing later meets a value deep enough to exhaust the stack. */
function inspect(value: unknown, path: string, depth: number, issues: Issue[]): void {
  if (typeof value === 'string') {
    if (!isReadableText(value)) note(issues, unreadable(path));
  } else if (typeof value === 'number') {
    if (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value)) {
      note(issues, {
        code: 'out_of_range',
        field: path,
        message: 'is a number that cannot be kept exactly; send it as a string',
      });
    }
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH)
      throw refuse('invalid_json', { message: `The body is nested deeper than ${MAX_DEPTH} levels. Flatten it.` });
    for (const [key, entry] of Object.entries(value)) {
      if (FORBIDDEN_KEYS.has(key))
        throw refuse('invalid_json', {
          message: 'The body holds a forbidden key. Leave out __proto__, constructor and prototype.',
        });
      const below = path === '' ? key : `${path}.${key}`;
      if (!isReadable(key)) note(issues, unreadable(path));
      inspect(entry, below, depth + 1, issues);
    }
  }
}

function note(issues: Issue[], issue: Issue): void {
  if (issues.length < MAX_ISSUES) issues.push({ ...issue, field: issue.field.slice(0, MAX_FIELD) });
}

const isReadableText = (value: string): boolean => !UNREADABLE.test(value) && value.isWellFormed();

/** On one line. */
export const isReadable = (value: string): boolean => isReadableText(value) && !LAYOUT.test(value);

const unreadable = (field: string): Issue => ({
  code: 'unreadable_text',
  field: isReadable(field) ? field : '',
  message: 'must not contain control characters, broken surrogates or direction overrides',
});
