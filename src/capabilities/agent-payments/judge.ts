import { type ConnectionStanding } from '../../access/connection-standing';
import { checkAmount } from '../../kernel/amounts';
import { type Issue } from '../../kernel/errors';
import { expiryIssues } from '../../kernel/request-lifetime';
import { otherPayees } from '../payments/other-payees';
import { type PayableRecipient, type PinnedVersion, versionInForce } from '../payments/payable-recipient';
import { type PolicyBudget } from './policy-budget';
import { type Intent } from './submission';
import { type MerchantId } from '../../kernel/aggregates';

/** What the submission refers to, as far as it exists and belongs to the caller. */
export type IntentFacts = Readonly<{
  merchantId: MerchantId;
  recipient: PayableRecipient;
  connection: ConnectionStanding | undefined;
  policy: PolicyBudget;
}>;

export type Judgement = Readonly<{ issues: readonly Issue[]; pinned: PinnedVersion | undefined }>;

/** Checks that depend on other records and the clock; issues with the input itself have been reported before. */
export function judge(sound: Partial<Intent>, around: IntentFacts, now: Date): Judgement {
  const { merchantId, recipient, connection, policy } = around;
  const inForce = recipient?.merchantId === merchantId ? versionInForce(recipient) : undefined;
  const { metadata } = sound;
  const issues: Issue[] = [...expiryIssues(sound.expires_at, now), ...otherPayees({ metadata }, inForce, sound.amount)];
  if (sound.connection_id !== undefined && connection === undefined) {
    issues.push(unknown('connection_id', 'does not name a connection of one of your agents; connect an agent first'));
  }
  if (sound.policy_id !== undefined && policy?.merchantId !== merchantId) {
    issues.push(unknown('policy_id', 'does not name one of your policies; GET /v1/automation-policies lists them'));
  }
  if (sound.recipient_id === undefined) return { issues, pinned: undefined };
  // Report another merchant's recipient just like one that does not exist.
  if (recipient?.merchantId !== merchantId) {
    return {
      issues: [
        ...issues,
        unknown('recipient_id', 'does not name one of your recipients; GET /v1/recipients lists them'),
      ],
      pinned: undefined,
    };
  }
  if (inForce === undefined) return { issues: [...issues, NOT_ACTIVE], pinned: undefined };
  return { issues: [...issues, ...factIssues(sound, inForce)], pinned: inForce };
}

/** The caller names the network it means, so that its payments do not follow a recipient that has moved elsewhere. */
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
