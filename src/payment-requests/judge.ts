import { checkAmount } from '../kernel/amounts';
import { type Issue, type Refusal, refuse, refuseInput } from '../kernel/errors';
import { expiryIssues } from '../kernel/request-lifetime';
import { activeVersion, type PayableRecipient, type PinnedVersion } from './payable-recipient';
import { type Wish } from './submission';

export type Verdict = Readonly<{ issues: readonly Issue[]; pinned: PinnedVersion | undefined }>;

/** What the recipient and the clock have to say; what is wrong in itself has been told before. */
export function judge(wish: Wish, recipient: PayableRecipient, merchantId: string, now: Date): Verdict {
  const issues = expiryIssues(wish.expiresAt, now);
  if (wish.recipientId === undefined) return { issues, pinned: undefined };
  // Another merchant's recipient is as unknown as one that does not exist.
  if (recipient === null || recipient.merchantId !== merchantId) {
    return { issues: [...issues, UNKNOWN_RECIPIENT], pinned: undefined };
  }
  if (wish.recipientVersionId === undefined) return { issues, pinned: undefined };
  const pinned = activeVersion(recipient, wish.recipientVersionId);
  if (pinned === undefined) return { issues: [...issues, NOT_ACTIVE], pinned };
  const { decimals } = pinned.facts;
  const tooFine = wish.amount !== undefined && decimals !== null ? checkAmount(wish.amount, decimals) : undefined;
  return { issues: tooFine ? [...issues, { ...tooFine, field: 'payment.amount' }] : issues, pinned };
}

/**
 * One answer for all that is wrong. Several problems, of whatever kind, are validation_failed with every one listed; a lone
 * problem that has a code of its own is answered with that code.
 */
export function refusalFor(issues: readonly Issue[]): Refusal {
  const [only] = issues;
  if (issues.length === 1 && only !== undefined) {
    if (only.code === UNKNOWN_RECIPIENT.code) return refuse('resource_not_found');
    if (only.code === 'recipient_version_not_active' || only.code === 'IDEMPOTENCY_KEY_MISMATCH') {
      return refuse(only.code, { issues });
    }
  }
  return refuseInput(issues);
}

const UNKNOWN_RECIPIENT: Issue = {
  code: 'resource_not_found',
  field: 'recipient_id',
  message: 'is no recipient of yours',
};

const NOT_ACTIVE: Issue = {
  code: 'recipient_version_not_active',
  field: 'recipient_version_id',
  message: 'is not the active, verified version of this recipient',
};
