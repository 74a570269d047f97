import { timestamp } from '../../kernel/clock';
import { momentOf } from '../../kernel/rfc3339';

/** One rule for one value: what is wrong with it, and the JSON Schema that says the same in the OpenAPI document. */
export type Check = Readonly<{
  problems: (value: unknown) => readonly Problem[];
  schema: JsonSchema;
  /** What else is missing when the whole value is: the paths of its required parts. */
  parts?: readonly string[];
}>;

/** `path` leads from the checked value to the part that is wrong: `2` in a list, `amount` in an object. */
export type Problem = Readonly<{ code: string; message: string; path?: string }>;

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema that becomes a component of the OpenAPI document, so that generated clients have a type of this name. */
export const named = (title: string, schema: JsonSchema): JsonSchema => ({ ...schema, title });

const none: readonly Problem[] = [];
const problem = (code: string, message: string): readonly Problem[] => [{ code, message }];
const wrongType = (expected: string): readonly Problem[] => problem('wrong_type', `must be ${expected}`);

type TextRules = Readonly<{
  min?: number;
  max: number;
  pattern?: RegExp;
  /** Shown to people instead of the pattern. */
  form?: string;
  /** Allows several lines: line breaks and tabs are accepted. */
  lines?: boolean;
  description?: string;
  example?: string;
  format?: string;
}>;

/** Line breaks and tabs, which text on a single line must not contain. */
export const LAYOUT = /[\t\n\r]/;

/** Anything but spaces and characters that leave no mark: a payee called U+200B would be a payee without a name. */
const VISIBLE = /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]/u;

/** Lengths count code points, not UTF-16 code units. */
export function text({ min = 1, max, pattern, form, lines, description, example, format }: TextRules): Check {
  return {
    problems: (value) => {
      if (typeof value !== 'string') return wrongType('a string');
      const length = value.length > max || value.length < min * 2 ? [...value].length : value.length;
      if (length < min)
        return problem('too_short', min === 1 ? 'must not be empty' : `needs at least ${min} characters`);
      if (length > max) return problem('too_long', `must have at most ${max} characters`);
      if (min > 0 && !VISIBLE.test(value)) return problem('too_short', 'must not be blank');
      if (lines !== true && LAYOUT.test(value)) return problem('unreadable_text', 'must be on one line, without tabs');
      if (pattern && !pattern.test(value))
        return problem('malformed', `must be ${form ?? `of the form ${pattern.source}`}`);
      return none;
    },
    schema: {
      type: 'string',
      minLength: min,
      maxLength: max,
      ...(pattern ? { pattern: pattern.source } : {}),
      ...(format ? { format } : {}),
      ...(description ? { description } : {}),
      ...(example ? { example } : {}),
    },
  };
}

export const integer = (min: number, max: number, description?: string): Check => ({
  problems: (value) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return wrongType('a whole number');
    return value < min || value > max ? problem('out_of_range', `must be from ${min} to ${max}`) : none;
  },
  schema: { type: 'integer', minimum: min, maximum: max, ...(description ? { description } : {}) },
});

export const oneOf = (values: readonly string[], description?: string, example?: string): Check => ({
  problems: (value) => {
    if (typeof value !== 'string') return wrongType('a string');
    return values.includes(value) ? none : problem('not_allowed', `must be one of: ${values.join(', ')}`);
  },
  schema: { type: 'string', enum: values, ...(description && { description }), ...(example && { example }) },
});

export const flag: Check = {
  problems: (value) => (typeof value === 'boolean' ? none : wrongType('true or false')),
  schema: { type: 'boolean' },
};

const entries = (count: number): string => (count === 1 ? 'one entry' : `${count} entries`);

export const list = (of: Check, max: number, min = 0): Check => ({
  problems: (value) => {
    if (!Array.isArray(value)) return wrongType('a list');
    if (value.length < min) return problem('too_short', `needs at least ${entries(min)}`);
    if (value.length > max) return problem('too_long', `must have at most ${entries(max)}`);
    return value.flatMap((entry, index) => of.problems(entry).map((found) => below(String(index), found)));
  },
  schema: { type: 'array', items: of.schema, minItems: min, maxItems: max },
});

/** A list without duplicates. If the list as a whole is wrong, duplicates are not reported. */
export const distinct = (whole: Check): Check => ({
  problems: (value) => {
    const found = whole.problems(value);
    if (!Array.isArray(value) || found.some(({ path }) => path === undefined)) return found;
    const seen = new Set<unknown>();
    const repeated = value.flatMap((entry: unknown, index) =>
      seen.size === seen.add(entry).size
        ? [{ code: 'repeated', message: 'is already listed; list it once', path: String(index) }]
        : [],
    );
    return [...found, ...repeated];
  },
  schema: { ...whole.schema, uniqueItems: true },
});

/** Fields not named here pass: they are ignored, or judged by the capability. */
export const object = (fields: Readonly<Record<string, Check>>, optional: readonly string[] = []): Check => ({
  problems: (value) => {
    if (!isPlainObject(value)) return wrongType('an object');
    return Object.entries(fields).flatMap(([name, check]) => {
      const entry = value[name];
      if (entry === undefined) return optional.includes(name) ? [] : missing(check).map((found) => below(name, found));
      return check.problems(entry).map((found) => below(name, found));
    });
  },
  schema: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, check]) => [name, check.schema])),
    required: Object.keys(fields).filter((name) => !optional.includes(name)),
  },
  parts: Object.entries(fields).flatMap(([name, { parts = [] }]) =>
    optional.includes(name) ? [] : [name, ...parts.map((part) => `${name}.${part}`)],
  ),
});

/** For values that responses show as null: a client that sends null back means the same by it. */
export const nullable = (check: Check): Check => ({
  problems: (value) => (value === null ? none : check.problems(value)),
  schema: { anyOf: [check.schema, { type: 'null' }] },
});

/** Any JSON object; the capability decides what may not be in it. */
export const freeForm = (description: string): Check => ({
  problems: (value) => (isPlainObject(value) ? none : wrongType('an object')),
  schema: { type: 'object', additionalProperties: true, description },
});

export const dateTime = (description?: string, example?: string): Check => ({
  problems: (value) => {
    if (typeof value !== 'string') return wrongType('a string');
    return momentOf(value) ? none : problem('malformed', 'must be an RFC 3339 time such as 2030-01-31T12:00:00.000Z');
  },
  schema: { type: 'string', format: 'date-time', ...(description && { description }), ...(example && { example }) },
});

const required: Problem = { code: 'required', message: 'is required' };

/** The problems of a missing value: the value itself is required, and so is each of its required parts. */
export const missing = ({ parts = [] }: Check): readonly Problem[] => [
  required,
  ...parts.map((path) => ({ ...required, path })),
];

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const below = (step: string, found: Problem): Problem => ({
  ...found,
  path: found.path === undefined ? step : `${step}.${found.path}`,
});

/** A time that has passed `dateTime`, in the one form in which times are stored and compared. */
export const normalTime = (text: string): string => timestamp(momentOf(text) ?? new Date(NaN));
