import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { type Response } from 'express';
import { canonicalJson } from '../../kernel/canonical-json';
import { type MadeUnderKey } from '../../kernel/made-under-key';
import { normalTime } from './checks';
import { type Draft, readDraft } from './draft';
import { fieldsOf, OptionalField } from './field.decorator';
import { givenKey, idempotencyKey } from './idempotency-key';

/** The body of a call that makes something: the key may come in it too. */
export abstract class KeyedInput {
  @OptionalField(idempotencyKey)
  idempotency_key?: string;
}

/** `under`: the key and what it stands for; undefined without a key, and if anything is wrong with the input. */
export type KeyedDraft<Input> = Draft<Input> & Readonly<{ under: MadeUnderKey | undefined }>;

/**
 * Reads the body of a call that makes something together with its idempotency key, from wherever that was sent. The
 * intent is what was accepted of the body, apart from the key.
 */
export function readKeyedDraft<Input extends KeyedInput>(
  type: new () => Input,
  body: object,
  headers: IncomingHttpHeaders,
): KeyedDraft<Input> {
  const draft = readDraft(type, body);
  const { key, issues } = givenKey(headers, (body as KeyedInput).idempotency_key);
  const all = { ...draft, issues: [...draft.issues, ...issues] };
  if (key === undefined || all.issues.length > 0) return { ...all, under: undefined };
  return { ...all, under: { idempotency_key: key, intent_digest: digestOf(type, draft.sound) } };
}

/** Two spellings of one moment are the same intent. */
function digestOf(type: object, sound: Readonly<Record<string, unknown>>): string {
  const fields = fieldsOf(type);
  const parts = Object.entries(sound)
    .filter(([name]) => name !== 'idempotency_key')
    .map(([name, value]) => {
      const isTime = fields[name]?.check.schema['format'] === 'date-time' && typeof value === 'string';
      return [name, isTime ? normalTime(value) : value];
    });
  return `sha256:${createHash('sha256')
    .update(canonicalJson(Object.fromEntries(parts)))
    .digest('hex')}`;
}

/** What a call made or had made before. */
export type Made<Id extends string> = Readonly<{ id: Id; replayed: boolean }>;

/** The status and headers that say whether something was made now, and where it can be read. */
export function sayMade(response: Response, replayed: boolean, location?: string): void {
  if (location !== undefined) response.setHeader('Location', location);
  if (replayed) response.status(200).setHeader('Idempotent-Replayed', 'true');
}
