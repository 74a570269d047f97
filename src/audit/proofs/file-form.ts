import { isOwnId, notItsId } from './checkpoint.ts';
import { isSigned, type KeysOfFile, MAX_ENDORSEMENTS } from './endorsements.ts';

const KEYS_OF_FILE = ['keys', 'endorsements'];
const EVENT = ['stream', 'version', 'type', 'data', 'metadata', 'veiled'];

/** The allowed members of each object in a file. */
const FORMS = {
  key: ['key_id', 'public_key'],
  endorsement: ['key_id', 'public_key', 'by_key_id', 'by_public_key', 'signature'],
  checkpoint: ['origin', 'tree_size', 'root', 'time', 'key_id', 'signature'],
  extent: ['stream', 'version', 'withheld', 'leaves', 'key_id', 'signature'],
  statement: ['key_id', 'signature'],
  event: EVENT,
  shown: ['leaf_index', 'event', 'inclusion'],
  header: ['format', 'scope', 'origin', 'tree_size'],
  line: [...EVENT, 'leaf_index', 'inclusion'],
} as const;

/** Members that no hash and no signature covers: anyone could have added them. */
export function* unknownMembers(form: keyof typeof FORMS, value: object | undefined): Generator<string> {
  const known: readonly string[] = FORMS[form];
  for (const name of Object.keys(value ?? {})) {
    if (!known.includes(name)) yield `it has an unknown member: ${form}.${name.slice(0, 100)}`;
  }
}

/**
 * What is wrong with a file before any of it is proven. An unknown member could be added by anyone, or be one that
 * counts under a changed name; and a key or an endorsement that is never checked could say anything.
 */
export function* formProblems(file: KeysOfFile & object, members: readonly string[]): Generator<string> {
  for (const name of Object.keys(file)) {
    if (!KEYS_OF_FILE.includes(name) && !members.includes(name))
      yield `it has an unknown member: ${name.slice(0, 100)}`;
  }
  for (const key of file.keys) {
    yield* unknownMembers('key', key);
    if (!isOwnId(key)) yield notItsId(key);
  }
  const { endorsements = [] } = file;
  if (endorsements.length > MAX_ENDORSEMENTS) yield `it has more than ${MAX_ENDORSEMENTS} endorsements`;
  for (const one of endorsements.slice(0, MAX_ENDORSEMENTS)) {
    yield* unknownMembers('endorsement', one);
    if (!isSigned(one)) yield `key ${one.by_key_id} has not endorsed key ${one.key_id}`;
  }
}
