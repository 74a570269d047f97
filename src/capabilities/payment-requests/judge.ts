import { checkAmount } from '../../kernel/amounts';
import { type Issue } from '../../kernel/errors';
import { expiryIssues } from '../../kernel/request-lifetime';
import { otherPayees } from '../payments/other-payees';
import { type PayableRecipient, type PinnedVersion, versionInForce } from '../payments/payable-recipient';
import { type SubmittedParts } from './submission';
import { type MerchantId } from '../../kernel/aggregates';

export type Judgement = Readonly<{ issues: readonly Issue[]; pinned: PinnedVersion | undefined }>;

/** Checks against the recipient and the clock; issues with the input itself have been reported before. */
export function judge(
  parts: SubmittedParts,
  recipient: PayableRecipient,
  merchantId: MerchantId,
  now: Date,
): Judgement {
  // Report another merchant's recipient just like one that does not exist.
  const own = recipient?.merchantId === merchantId ? recipient : null;
  const inForce = own === null ? undefined : versionInForce(own);
  const issues = [...expiryIssues(parts.expiresAt, now), ...otherPayees(parts.freeForm, inForce, parts.amount)];
  if (parts.recipientId === undefined) return { issues, pinned: undefined };
  if (own === null) return { issues: [...issues, UNKNOWN_RECIPIENT], pinned: undefined };
  const pinned = inForce?.versionId === parts.recipientVersionId ? inForce : undefined;
  if (parts.recipientVersionId !== undefined && pinned === undefined) issues.push(NOT_ACTIVE);
  // The version in force is the one to try next: its decimals count even where another version was named, or none.
  const decimals = inForce?.facts.decimals ?? null;
  const tooFine = parts.amount !== undefined && decimals !== null ? checkAmount(parts.amount, decimals) : undefined;
  if (tooFine) issues.push({ ...tooFine, field: 'payment.amount' });
  return { issues, pinned };
}

const UNKNOWN_RECIPIENT: Issue = {
  code: 'resource_not_found',
  field: 'recipient_id',
  message: 'does not name a recipient of your merchant; ask the merchant for its id',
};

const NOT_ACTIVE: Issue = {
  code: 'recipient_version_not_active',
  field: 'recipient_version_id',
  message: 'is not the active version of this recipient; ask the merchant for its active_version_id',
};
