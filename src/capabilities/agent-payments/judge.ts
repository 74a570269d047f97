import { type ConnectionStanding } from '../../access/connection-standing';
import { checkAmount } from '../../kernel/amounts';
import { type Issue } from '../../kernel/errors';
import { expiryIssues } from '../../kernel/request-lifetime';
import { type PayableRecipient, type PinnedVersion, versionInForce } from '../payments/payable-recipient';
import { type PolicyBudget } from './policy-budget';
import { type Intent } from './submission';
import { type MerchantId } from '../../kernel/aggregates';

/** What the submission names, as far as it is there and the caller's own. */
export type IntentFacts = Readonly<{
  merchantId: MerchantId;
  recipient: PayableRecipient;
  connection: ConnectionStanding | undefined;
  policy: PolicyBudget;
}>;

export type Judgement = Readonly<{ issues: readonly Issue[]; pinned: PinnedVersion | undefined }>;

/** What others and the clock have to say; what is wrong in itself has been told before. */
export function judge(sound: Partial<Intent>, around: IntentFacts, now: Date): Judgement {
  const { merchantId, recipient, connection, policy } = around;
  const issues: Issue[] = [...expiryIssues(sound.expires_at, now)];
  if (sound.connection_id !== undefined && connection === undefined) {
    issues.push(unknown('connection_id', 'does not name a connection of one of your agents; connect an agent first'));
  }
  if (sound.policy_id !== undefined && policy?.merchantId !== merchantId) {
    issues.push(unknown('policy_id', 'does not name one of your policies; GET /v1/automation-policies lists them'));
  }
  if (sound.recipient_id === undefined) return { issues, pinned: undefined };
  // Another merchant's recipient is as unknown as one that does not exist.
  if (recipient?.merchantId !== merchantId) {
    return {
      issues: [
        ...issues,
        unknown('recipient_id', 'does not name one of your recipients; GET /v1/recipients lists them'),
      ],
      pinned: undefined,
    };
  }
  const pinned = versionInForce(recipient);
  if (pinned === undefined) return { issues: [...issues, NOT_ACTIVE], pinned };
  return { issues: [...issues, ...factIssues(sound, pinned)], pinned };
}

/** The caller says which network it means, so that a recipient moved elsewhere does not take its payments along. */
function factIssues({ network, asset, amount }: Partial<Intent>, { facts }: PinnedVersion): readonly Issue[] {
  const issues: Issue[] = [];
  if (network !== undefined && network !== facts.network) issues.push(mismatch('network'));
  if (asset !== undefined && asset !== facts.asset) issues.push(mismatch('asset'));
  const tooFine = amount !== undefined && facts.decimals !== null ? checkAmount(amount, facts.decimals) : undefined;
  return tooFine ? [...issues, { ...tooFine, field: 'amount' }] : issues;
}

const unknown = (field: string, message: string): Issue => ({ code: 'resource_not_found', field, message });

const mismatch = (field: string): Issue => ({
  code: 'mismatch',
  field,
  message: `is not the recipient’s; send the ${field} of its active version`,
});

const NOT_ACTIVE: Issue = {
  code: 'recipient_version_not_active',
  field: 'recipient_id',
  message: 'has no active version; verify and activate one first',
};
