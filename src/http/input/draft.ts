import { type Issue, type Refusal, refuseInput } from '../../kernel/errors';
import { fieldsOf } from './field.decorator';
import { refusalOfKeys } from './idempotency-key';
import { inputIssues } from './input.pipe';
import { isFull, soundFields } from './sound-fields';

/**
 * A body as far as it can be read. Checks that need more (a stored record, the clock) run on the sound parts, and their
 * issues are listed in the same response as the body's own: a caller fixes everything in one pass.
 */
export type Draft<Input> = Readonly<{
  issues: readonly Issue[];
  /** The fields that are valid by themselves. */
  sound: Partial<Input>;
  /** The entries of a list at their positions, undefined where one is wrong; empty if there is no usable list. */
  entriesOf(field: string & keyof Input): readonly (string | undefined)[];
}>;

export function readDraft<Input extends object>(type: new () => Input, body: object): Draft<Input> {
  const issues = inputIssues(type, body);
  const isSound = soundFields(issues);
  const given = body as Readonly<Record<string, unknown>>;
  const names = Object.keys(fieldsOf(type)).filter((name) => given[name] !== undefined && isSound(name));
  const paths = new Set(issues.map(({ field }) => field));
  return {
    issues,
    sound: Object.fromEntries(names.map((name) => [name, given[name]])) as Partial<Input>,
    entriesOf: (field) => {
      const list = given[field];
      if (!Array.isArray(list) || isFull(issues) || paths.has(field)) return [];
      return list.map((entry: unknown, at) =>
        typeof entry === 'string' && !paths.has(`${field}.${at}`) ? entry : undefined,
      );
    },
  };
}

/**
 * Returns the whole input, or throws a refusal that lists the draft's own issues and those found since. `alone` may
 * give an issue that is the only one a refusal of its own.
 */
export function complete<Input>(
  { issues, sound }: Pick<Draft<Input>, 'issues' | 'sound'>,
  found: readonly Issue[] = [],
  alone: (issue: Issue) => Refusal | undefined = () => undefined,
): Input {
  const [first, ...more] = [...issues, ...found];
  if (first === undefined) return sound as Input;
  const all = [first, ...more];
  throw (more.length === 0 && alone(first)) || (refusalOfKeys(all) ?? refuseInput(all));
}

/**
 * Reports a stale version in a response that lists other problems. On its own it is a conflict, which the record raises
 * when it is asked to change.
 */
export const staleVersion = (
  { version }: Readonly<{ version?: number | undefined }>,
  current: Readonly<{ version: number }> | undefined,
): readonly Issue[] => {
  if (version === undefined || current === undefined || version === current.version) return [];
  return [
    { code: 'version_conflict', field: 'version', message: `is not the current version, which is ${current.version}` },
  ];
};
