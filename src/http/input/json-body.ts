import { refuse } from '../../kernel/errors';
import { type Issue } from '../../kernel/errors';
import { isPlainObject, LAYOUT } from './checks';
import { noteIssues } from './input-issues';
import { keysOf } from './keys-of';
import { type Allowance, isPrivateKey, namesPrivateKey, newAllowance, privateKeyIssue } from './private-keys';
import { MAX_ISSUES, pathTo, type Step } from './issue-paths';

const MAX_DEPTH = 16;
/** Far more than a payment needs. A key costs as much as a hundred bytes of text, so bytes alone do not limit the work. */
export const MAX_KEYS = 1_000;
/** Keys and list items together. What is accepted is written and hashed several times, number by number. */
export const MAX_ENTRIES = 1_000;
/** V8 takes ten times as long to write some of these as to write the others. */
export const MAX_FRACTIONS = 300;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
// C0 and C1 controls, and direction overrides, which make people read something else. Line breaks and tabs are not
// included: whether they are allowed depends on the field.
const UNREADABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of a body as one JSON object, or a refusal. Problems inside strings and numbers are noted for the pipe. */
export function parseJsonBody(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const { keys, entries } = sizeOf(bytes);
  if (keys > MAX_KEYS)
    throw refuse('invalid_json', {
      message: `The body has more than ${MAX_KEYS} keys, nested ones included. Send fewer.`,
    });
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    throw refuse('invalid_json', { message: 'The body is not JSON in valid UTF-8. Send one JSON object.' });
  }
  if (!isPlainObject(value)) throw refuse('invalid_json', { message: 'The body must be one JSON object.' });
  const issues: Issue[] = entries > MAX_ENTRIES ? [tooMany] : [];
  inspect(value, undefined, 1, { issues, allowance: newAllowance(), fractions: { count: 0 } });
  noteIssues(value, issues);
  return value;
}

const tooMany: Issue = {
  code: 'too_many',
  field: '',
  message: `must have at most ${MAX_ENTRIES} keys and list items, nested ones included`,
};

const [QUOTE, BACKSLASH, COLON, COMMA, BRACKET, BRACE] = Buffer.from('"\\:,[{');

/**
 * Counted before parsing, which takes longer than everything after it. Each key is followed by a colon, and each list and
 * object has one entry more than it has commas; an empty one counts too.
 */
function sizeOf(bytes: Buffer): Readonly<{ keys: number; entries: number }> {
  let [keys, entries, isText] = [0, 0, false];
  if (bytes.length <= Math.min(MAX_KEYS, MAX_ENTRIES)) return { keys, entries };
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (byte === COLON) keys += 1;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) entries += 1;
  }
  return { keys, entries };
}

type Findings = Readonly<{ issues: Issue[]; allowance: Allowance; fractions: { count: number } }>;

/** Walks at most 16 levels, so that nothing later meets a value deep enough to exhaust the stack. */
function inspect(value: object, step: Step | undefined, depth: number, findings: Findings): void {
  const { issues, allowance } = findings;
  if (depth > MAX_DEPTH)
    throw refuse('invalid_json', { message: `The body is nested deeper than ${MAX_DEPTH} levels. Flatten it.` });
  if (Array.isArray(value)) return inspectList(value as readonly unknown[], step, depth, findings);
  for (const key of keysOf(value)) {
    if (FORBIDDEN_KEYS.has(key))
      throw refuse('invalid_json', {
        message: 'The body holds a forbidden key. Leave out __proto__, constructor and prototype.',
      });
    const entry = (value as Readonly<Record<string, unknown>>)[key];
    const isEnough = issues.length >= MAX_ISSUES;
    if (!isEnough && !isReadable(key)) issues.push(unreadable(step));
    // The path ends at the parent: the key itself may be a secret.
    if (!isEnough && isPrivateKey(key, allowance)) refuseKey(entry, step, depth, findings);
    else if (!isEnough && (namesPrivateKey(key, entry) || isPrivateKey(entry, allowance)))
      refuseKey(entry, { key, parent: step }, depth, findings);
    else if (typeof entry === 'object' && entry !== null) inspect(entry, { key, parent: step }, depth + 1, findings);
    else if (!isEnough) inspectValue(entry, { key, parent: step }, findings);
  }
}

/** Iterates by index: ten thousand short lists are not worth ten thousand key strings. */
function inspectList(list: readonly unknown[], step: Step | undefined, depth: number, findings: Findings): void {
  const { issues, allowance } = findings;
  for (let at = 0; at < list.length; at += 1) {
    const entry = list[at];
    const isEnough = issues.length >= MAX_ISSUES;
    if (!isEnough && isPrivateKey(entry, allowance)) refuseKey(entry, { key: at, parent: step }, depth, findings);
    else if (typeof entry === 'object' && entry !== null)
      inspect(entry, { key: at, parent: step }, depth + 1, findings);
    else if (!isEnough) inspectValue(entry, { key: at, parent: step }, findings);
  }
}

/** Stands for a full list of issues: whatever is found after that is not reported. */
const FULL_LIST = Array<Issue>(MAX_ISSUES);

/** What is inside is neither searched nor listed, but limits hold there too: other checks walk it. */
function refuseKey(entry: unknown, step: Step | undefined, depth: number, findings: Findings): void {
  findings.issues.push(privateKeyIssue(pathTo(step)));
  if (typeof entry === 'object' && entry !== null) inspect(entry, step, depth + 1, { ...findings, issues: FULL_LIST });
}

function inspectValue(value: unknown, step: Step, { issues, fractions }: Findings): void {
  if (typeof value === 'string') {
    if (!isReadableText(value)) issues.push(unreadable(step));
  } else if (typeof value === 'number') {
    if (!canBeKept(value)) issues.push(inexact(step));
    else if (!Number.isInteger(value) && (fractions.count += 1) === MAX_FRACTIONS + 1) issues.push(tooManyFractions);
  }
}

const inexact = (step: Step): Issue => ({
  code: 'out_of_range',
  field: pathTo(step),
  message: 'is a number that cannot be kept exactly; send it as a string',
});

const tooManyFractions: Issue = {
  code: 'too_many',
  field: '',
  message: `must have at most ${MAX_FRACTIONS} numbers that are not whole; send them as strings`,
};

const canBeKept = (value: number): boolean =>
  Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);

const isReadableText = (value: string): boolean =>
  isVisibleAscii(value) || (!UNREADABLE.test(value) && value.isWellFormed());

/** Readable and on one line. */
export const isReadable = (value: string): boolean =>
  isVisibleAscii(value) || (isReadableText(value) && !LAYOUT.test(value));

/** Most texts are, and for a short one this costs a fifth of a regular expression. */
function isVisibleAscii(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

function unreadable(step: Step | undefined): Issue {
  const path = pathTo(step);
  return {
    code: 'unreadable_text',
    field: isReadable(path) ? path : '',
    message: 'must not contain control characters, broken surrogates or direction overrides',
  };
}
