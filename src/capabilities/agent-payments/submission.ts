import { normalTime } from '../../http/input/checks';
import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { fieldsOf } from '../../http/input/field.decorator';
import { givenKey } from '../../http/input/idempotency-key';
import { inputIssues } from '../../http/input/input.pipe';
import { soundFields } from '../../http/input/sound-fields';
import { factsAmong } from '../../http/input/stray-facts';
import { canonicalJson } from '../../kernel/canonical-json';
import { type Issue } from '../../kernel/errors';
import { CreateAgentPaymentInput } from './agent-payments.dto';

/** Fields that identify the intent or say what may block it. */
const NO_INTENT = ['idempotency_key', 'idempotency_scope', 'if_duplicate'] as const;

/** What a caller wants; absent fields stay absent. Key and credential identify the intent and are not part of it. */
export type Intent = Omit<CreateAgentPaymentInput, (typeof NO_INTENT)[number]>;

/**
 * What a caller submitted. One with issues is processed as far as it can be read, so that the response also reports
 * what recipient, connection and clock have against it.
 */
export type Submission = Readonly<{
  issues: readonly Issue[];
  /** The fields that are valid in themselves. */
  sound: Partial<Intent>;
  /** Undefined when there are issues. */
  intent: Intent | undefined;
  idempotencyKey: string | undefined;
  /** Whose key it is: the merchant's, or the connection's, which it shares with its payment requests. */
  scope: 'merchant' | 'connection';
  /** Whether another payment to the same recipient for the same amount blocks this one. */
  refuseDuplicate: boolean;
}>;

const FIELDS = Object.keys(fieldsOf(CreateAgentPaymentInput));

export function readSubmission(body: Readonly<Record<string, unknown>>, headers: IncomingHttpHeaders): Submission {
  const { key, issues: keyIssues } = givenKey(headers, body['idempotency_key']);
  const stray = factsAmong(body, FIELDS).map(({ code, message, path = '' }) => ({ code, field: path, message }));
  const isShared = body['idempotency_scope'] === 'connection';
  const missing = isShared && key === undefined && keyIssues.length === 0 ? [KEY_REQUIRED] : [];
  const issues = [...inputIssues(CreateAgentPaymentInput, body), ...stray, ...keyIssues, ...missing];
  const isSound = soundFields(issues);
  const given = FIELDS.filter((name) => !isAbout(name) && isSound(name) && body[name] !== undefined);
  const sound = Object.fromEntries(given.map((name) => [name, valueOf(name, body[name])])) as Partial<Intent>;
  return {
    issues,
    sound,
    intent: issues.length === 0 ? (sound as Intent) : undefined,
    idempotencyKey: key,
    scope: isShared ? 'connection' : 'merchant',
    refuseDuplicate: body['if_duplicate'] === 'refuse',
  };
}

const isAbout = (name: string): boolean => NO_INTENT.some((one) => one === name);

const KEY_REQUIRED: Issue = {
  code: 'required',
  field: 'idempotency_key',
  message: 'is required with idempotency_scope connection',
};

export const intentDigest = (intent: Intent): string =>
  `sha256:${createHash('sha256').update(canonicalJson(intent)).digest('hex')}`;

/** Two spellings of the same instant are the same intent. */
const valueOf = (name: string, value: unknown): unknown =>
  name === 'expires_at' ? normalTime(value as string) : value;
