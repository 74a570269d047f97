import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import { fieldsOf } from '../../http/input/field.decorator';
import { givenKey } from '../../http/input/idempotency-key';
import { inputIssues } from '../../http/input/input.pipe';
import { factsAmong } from '../../http/input/stray-facts';
import { canonicalJson } from '../../kernel/canonical-json';
import { timestamp } from '../../kernel/clock';
import { type Issue } from '../../kernel/errors';
import { CreateAgentPaymentInput } from './agent-payments.dto';

/** What a caller wants; what was not given stays absent. Key and credential name the intent and are no part of it. */
export type Intent = Omit<CreateAgentPaymentInput, 'idempotency_key'>;

/**
 * What a caller submitted. One with issues is carried on as far as it can be read, so that what recipient, connection and
 * clock have to say against it is told in the same answer.
 */
export type Submission = Readonly<{
  issues: readonly Issue[];
  /** The fields that are right in themselves. */
  sound: Partial<Intent>;
  /** Undefined when there are issues. */
  intent: Intent | undefined;
  idempotencyKey: string | undefined;
}>;

const FIELDS = Object.keys(fieldsOf(CreateAgentPaymentInput));

export function readSubmission(body: Readonly<Record<string, unknown>>, headers: IncomingHttpHeaders): Submission {
  const { key, issues: keyIssues } = givenKey(headers, body['idempotency_key']);
  const stray = factsAmong(body, FIELDS).map(({ code, message, path = '' }) => ({ code, field: path, message }));
  const issues = [...inputIssues(CreateAgentPaymentInput, body), ...stray, ...keyIssues];
  const wrong = new Set(issues.map(({ field }) => field.split('.')[0]));
  const given = FIELDS.filter((name) => name !== 'idempotency_key' && !wrong.has(name) && body[name] !== undefined);
  const sound = Object.fromEntries(given.map((name) => [name, valueOf(name, body[name])])) as Partial<Intent>;
  return { issues, sound, intent: issues.length === 0 ? (sound as Intent) : undefined, idempotencyKey: key };
}

export const intentDigest = (intent: Intent): string =>
  `sha256:${createHash('sha256').update(canonicalJson(intent)).digest('hex')}`;

/** Two spellings of one moment are one intent. */
const valueOf = (name: string, value: unknown): unknown =>
  name === 'expires_at' ? timestamp(new Date(value as string)) : value;
