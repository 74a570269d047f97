/**
 * Documents become MongoDB documents field by field, readable with any tool. Only keys are changed, and reversibly:
 * what MongoDB or its driver would interpret as an operator, a path, the end of a string or a BSON type is written as
 * %XX.
 */
export type Fields = { [key: string]: FieldValue };
export type FieldValue = string | number | boolean | null | FieldValue[] | Fields;

const SPECIAL = /[%.$\0]/g;
const EMPTY = '%';
/** The driver looks up keys in plain objects, also inherited ones: an array at `constructor` comes back as bytes. */
const KNOWN_TO_THE_DRIVER = new Set([...Object.getOwnPropertyNames(Object.prototype), '_bsontype']);

export function escapeKey(key: string): string {
  if (key === '') return EMPTY;
  if (KNOWN_TO_THE_DRIVER.has(key)) return percent(key.charAt(0)) + key.slice(1);
  return key.replace(SPECIAL, percent);
}

const percent = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

export function unescapeKey(key: string): string {
  if (!key.includes('%')) return key;
  return key === EMPTY
    ? ''
    : key.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

export function toFields(document: object): Fields {
  const fields: Fields = {};
  for (const [key, value] of Object.entries(document))
    if (value !== undefined) fields[escapeKey(key)] = toFieldValue(value);
  return fields;
}

/** Follows JSON: an undefined member is omitted, in a list it becomes null, and there is one zero. */
function toFieldValue(value: unknown): FieldValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (Array.isArray(value)) return value.map(toFieldValue);
  if (typeof value === 'object') return hasOwnJson(value) ? toFieldValue(value.toJSON()) : toFields(value);
  throw new TypeError(`a ${typeof value} is no part of a document`);
}

const hasOwnJson = (value: object): value is { toJSON(): unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function';

export function fromFields(fields: Fields): object {
  const document: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) {
    const [name, value] = [unescapeKey(key), fromFieldValue(fields[key])];
    // Assigning __proto__ would set the prototype instead of a member.
    if (name === '__proto__')
      Object.defineProperty(document, name, { value, enumerable: true, configurable: true, writable: true });
    else document[name] = value;
  }
  return document;
}

function fromFieldValue(value: FieldValue | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(fromFieldValue) : fromFields(value);
}
