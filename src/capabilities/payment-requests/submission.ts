import { normalTime } from '../../http/input/checks';
import { type IncomingHttpHeaders } from 'node:http';
import { fieldsOf } from '../../http/input/field.decorator';
import { inputIssues } from '../../http/input/input.pipe';
import { type Issue } from '../../kernel/errors';
import { givenKey } from '../../http/input/idempotency-key';
import { type Intent } from './intent';
import { CreatePaymentRequestInput } from './payment-requests.dto';
import { soundFields } from '../../http/input/sound-fields';
import { factsAmong } from '../../http/input/stray-facts';
import { type RecipientId, type RecipientVersionId } from '../../kernel/aggregates';

/**
 * What a caller submitted. A submission with issues is processed as far as it can be read, so that the response also
 * reports what the recipient and the clock have against it.
 */
export type Submission = Readonly<{
  issues: readonly Issue[];
  /** Undefined when there are issues. */
  intent: Intent | undefined;
  idempotencyKey: string | undefined;
  requestId: string | undefined;
  /** Whether a duplicate blocks this request. Not part of the intent: the same key finds the same request. */
  refuseDuplicate: boolean;
  parts: SubmittedParts;
}>;

/** The parts that are checked against other records, each undefined if it is invalid in itself. */
export type SubmittedParts = Readonly<{
  recipientId: RecipientId | undefined;
  recipientVersionId: RecipientVersionId | undefined;
  amount: string | undefined;
  expiresAt: string | undefined;
  /** What the caller says in its own words: `source`, `display` and `metadata`. */
  freeForm: Readonly<Record<string, unknown>>;
}>;

const FREE_FORM = ['source', 'display', 'metadata'] as const;
const FIELDS = Object.keys(fieldsOf(CreatePaymentRequestInput));

export function readSubmission(body: Readonly<Record<string, unknown>>, headers: IncomingHttpHeaders): Submission {
  const { key, issues: keyIssues } = givenKey(headers, body['idempotency_key']);
  const issues = [...inputIssues(CreatePaymentRequestInput, body), ...strayFacts(body), ...keyIssues];
  const isSound = soundFields(issues);
  const input = body as Partial<CreatePaymentRequestInput>;
  const sound = <T>(field: string, read: () => T): T | undefined => (isSound(field) ? read() : undefined);
  const parts = {
    recipientId: sound('recipient_id', () => input.recipient_id),
    recipientVersionId: sound('recipient_version_id', () => input.recipient_version_id),
    amount: sound('payment.amount', () => input.payment?.amount),
    expiresAt: sound('expires_at', () => input.expires_at && normalTime(input.expires_at)),
    freeForm: Object.fromEntries(FREE_FORM.map((field) => [field, input[field]])),
  };
  const intent = issues.length === 0 ? intentOf(body as unknown as CreatePaymentRequestInput, parts) : undefined;
  return {
    issues,
    intent,
    idempotencyKey: key,
    requestId: input.request_id,
    refuseDuplicate: input.if_duplicate === 'refuse',
    parts,
  };
}

/** Fields not named here are ignored, and so not part of the intent. */
function intentOf(input: CreatePaymentRequestInput, { expiresAt }: SubmittedParts): Intent {
  const { recipient_id, recipient_version_id, payment, transaction_id, source, display, metadata } = input;
  return {
    recipient_id,
    recipient_version_id,
    payment: { amount: payment.amount },
    policy: { requires_user_approval: true },
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    ...(transaction_id === undefined ? {} : { transaction_id }),
    ...(source === undefined ? {} : { source }),
    ...(display === undefined ? {} : { display }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Payment facts outside the known fields, as in `{"to": …}` or `{"payee": {…}}`. */
function strayFacts(body: object): readonly Issue[] {
  return factsAmong(body, FIELDS).map(({ code, message, path = '' }) => ({ code, field: path, message }));
}
