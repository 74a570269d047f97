import { isOwnId, notItsId } from './checkpoint.ts';
import { isSigned, type KeysOfFile, MOST_ENDORSEMENTS } from './endorsements.ts';

const KEYS_OF_FILE = ['keys', 'endorsements'];

/**
 * What is wrong with a file before any of it is proven. An unknown member could be added by anyone, or be one that
 * counts under a changed name; and a key or an endorsement that is never checked could say anything.
 */
export function* formProblems(file: KeysOfFile & object, members: readonly string[]): Generator<string> {
  for (const name of Object.keys(file)) {
    if (!KEYS_OF_FILE.includes(name) && !members.includes(name))
      yield `it has a member nobody knows: ${name.slice(0, 100)}`;
  }
  for (const key of file.keys) if (!isOwnId(key)) yield notItsId(key);
  const { endorsements = [] } = file;
  if (endorsements.length > MOST_ENDORSEMENTS) yield `it has more than ${MOST_ENDORSEMENTS} endorsements`;
  for (const one of endorsements.slice(0, MOST_ENDORSEMENTS)) {
    if (!isSigned(one)) yield `key ${one.by_key_id} has not signed for key ${one.key_id}`;
  }
}
