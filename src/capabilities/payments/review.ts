import { type AgentDocument, type CredentialDocument } from '../../../projections/agents.projection';
import { type ConnectionDocument } from '../../../projections/connections.projection';
import { assetKey, type PayeeHistoryDocument } from '../../../projections/payee-history.projection';
import { type MerchantDomainDocument } from '../../../projections/merchants.projection';
import { type RecipientDocument } from '../../../projections/recipients.projection';
import { addAmounts, compareAmounts } from '../../kernel/amounts';
import { type RecipientFacts } from '../../events/recipient.events';
import { type RecipientId, type RecipientVersionId } from '../../kernel/aggregates';
import { aboutDomain, aboutName, aboutVersion } from './payee-notices';
import { type Notice, notice, versionIn } from './review-notice';

/** What is to be approved, from either API. */
export type Reviewed = Readonly<{
  id: string;
  recipient_id: RecipientId;
  recipient_version_id: RecipientVersionId;
  facts: RecipientFacts;
  amount: string;
}>;

/** What the log says about it at the time of the read. */
export type Known = Readonly<{
  now: string;
  history: PayeeHistoryDocument | undefined;
  recipient: RecipientDocument | undefined;
  agent: AgentDocument | undefined;
  connection: ConnectionDocument | undefined;
  /** The connection's other open or confirmed payments with the same recipient and amount, newest first. */
  same: readonly Readonly<{ id: string; created_at: string }>[];
  /** What this device has paid already: the same order, or the same recipient and amount within a day. */
  paid: Readonly<{ id: string; created_at: string; title: string | null }> | undefined;
  /** Since when the connection has been asking unusually often, if it has. */
  manySince: string | null;
  /** Agent payments only: no policy in force covers it. */
  outsidePolicy: boolean;
  /** It has not ended. */
  isOpen: boolean;
  /** What this device has paid to other recipients of this name, the last one first. */
  namesakes: readonly PayeeHistoryDocument[];
  /** The domain that vouches for the recipient's version. */
  domain: MerchantDomainDocument | undefined;
  /** Agent payments only: since when the policy that permitted it has ended, if it has. */
  policyEndedAt?: string | undefined;
}>;

const DAY_MS = 24 * 3_600_000;
const SEVERITY_ORDER = { danger: 0, warning: 1, info: 2 } as const;

/** Facts and notices for the person who decides. They come from the log alone and have no effect on the payment. */
export const reviewOf = (reviewed: Reviewed, known: Known) => ({
  facts: factsOf(reviewed, known),
  notices: noticesOf(reviewed, known),
});

function factsOf(reviewed: Reviewed, { history, recipient, agent, connection }: Known) {
  const version = versionIn(recipient, reviewed);
  const evidence = version?.evidence ?? null;
  return {
    confirmed_payments: history?.confirmed ?? 0,
    last_confirmed_at: history?.last_confirmed_at ?? null,
    recipient_version:
      version === undefined
        ? null
        : {
            recipient_version_id: version.recipient_version_id,
            number: version.number,
            created_at: version.created_at,
            activated_at: version.activated_at,
            evidence_id: evidence?.evidence_id ?? null,
            evidence_digest: evidence?.evidence_digest ?? null,
            verified_at: evidence?.verified_at ?? null,
          },
    domain: evidence && {
      domain: evidence.proof.domain,
      method: evidence.proof.method,
      proven_at: evidence.proof.verified_at,
    },
    agent:
      agent === undefined
        ? null
        : {
            agent_id: agent.id,
            name: connection?.agent_name ?? agent.name,
            credential_since: newestKey(agent)?.activated_at ?? null,
          },
    connection:
      connection === undefined
        ? null
        : {
            connection_id: connection.id,
            created_at: connection.created_at,
            scopes: connection.scopes,
          },
  };
}

/** Most severe first. */
function noticesOf(reviewed: Reviewed, known: Known): readonly Notice[] {
  const version = versionIn(known.recipient, reviewed);
  const provenAt = version?.evidence?.proof.verified_at;
  const key = rotatedKey(known.agent);
  const found: (Notice | undefined)[] = [
    ...aboutHistory(reviewed, known.history),
    aboutVersion(reviewed, known),
    aboutName(reviewed, known),
    aboutDomain(known),
    isRecent(version?.activated_at, known.now)
      ? notice('recipient_version_new', 'warning', 'The payment details of this payee were set less than a day ago.', {
          since: version?.activated_at,
        })
      : undefined,
    isRecent(provenAt, known.now)
      ? notice('domain_recently_verified', 'info', 'The payee’s domain was proven less than a day ago.', {
          since: provenAt,
        })
      : undefined,
    isRecent(key?.activated_at, known.now)
      ? notice('agent_key_rotated', 'warning', 'The agent has had a new key for less than a day.', {
          since: key?.activated_at,
        })
      : undefined,
    agentRevoked(known),
    sameIntent(known.same),
    orderPaid(known.paid),
    known.manySince === null
      ? undefined
      : notice('many_requests', 'warning', 'This agent has asked for many payments in a short time.', {
          since: known.manySince,
        }),
    known.policyEndedAt === undefined || !known.isOpen
      ? undefined
      : notice('policy_ended', 'danger', 'The policy that permitted this payment has ended: you alone decide.', {
          since: known.policyEndedAt,
        }),
    known.outsidePolicy
      ? notice('outside_policy', 'info', 'No policy of yours covers this payment: you alone decide.')
      : undefined,
  ];
  return found
    .filter((one) => one !== undefined)
    .sort((one, other) => SEVERITY_ORDER[one.severity] - SEVERITY_ORDER[other.severity]);
}

function aboutHistory({ facts, amount }: Reviewed, history: PayeeHistoryDocument | undefined): (Notice | undefined)[] {
  if (history === undefined) {
    return [notice('first_payment_to_recipient', 'info', 'You have never paid this payee from this device.')];
  }
  const { last_facts: last, last_confirmed_at: since } = history;
  const isOther = last.address !== facts.address || assetKey(last) !== assetKey(facts);
  const usual = history.amounts.find(({ asset }) => asset === assetKey(facts))?.last ?? [];
  const largest = usual.reduce((most, one) => (compareAmounts(one, most) > 0 ? one : most), '0');
  const isLarge = usual.length > 0 && compareAmounts(amount, addAmounts(largest, largest)) > 0;
  return [
    isOther
      ? notice(
          'payee_changed_since_last_payment',
          'danger',
          'The address, network or asset is not the one you paid last time. Ask the payee before you approve.',
          { since },
        )
      : undefined,
    isLarge
      ? notice('amount_above_usual', 'warning', 'More than twice the largest of your last payments to this payee.')
      : undefined,
  ];
}

/** It is withdrawn a moment later; until then nobody should sign it. */
function agentRevoked({ agent, isOpen }: Known): Notice | undefined {
  if (agent?.status !== 'revoked' || !isOpen) return undefined;
  return notice('agent_revoked', 'danger', 'The merchant has revoked the agent that asked for this. Do not pay it.', {
    since: agent.updated_at,
  });
}

function sameIntent(same: Known['same']): Notice | undefined {
  const [newest] = same;
  if (newest === undefined) return undefined;
  return notice('same_intent_open', 'warning', 'The same amount to the same payee was asked for within a day.', {
    since: newest.created_at,
    request_ids: same.map(({ id }) => id),
  });
}

function orderPaid(paid: Known['paid']): Notice | undefined {
  if (paid === undefined) return undefined;
  const { id, title, created_at: since } = paid;
  const found = notice('same_order_paid', 'danger', 'You have already paid this order, or this amount to this payee.', {
    since,
    request_ids: [id],
  });
  return title === null ? found : { ...found, title };
}

const isRecent = (time: string | null | undefined, now: string): boolean =>
  time !== undefined && time !== null && Date.parse(now) - Date.parse(time) < DAY_MS;

/**
 * Newest first, in the order in which they were proven. Their times alone do not show it: after a set-back of the clock,
 * a new key would be the first. A set-back shows in the times of registrations, which are in the order of the log.
 */
function proven({ credentials }: AgentDocument): readonly CredentialDocument[] {
  let setBacks = 0;
  const placed = credentials.map((key, index) => {
    if (key.created_at < (credentials[index - 1]?.created_at ?? '')) setBacks += 1;
    // No key is proven before it is registered.
    const at = Math.max(Date.parse(key.created_at), Date.parse(key.activated_at ?? ''));
    return { key, setBacks, at };
  });
  return placed
    .filter(({ key }) => key.activated_at !== null)
    .sort((one, other) => one.setBacks - other.setBacks || one.at - other.at)
    .map(({ key }) => key)
    .reverse();
}

const newestKey = (agent: AgentDocument): CredentialDocument | undefined =>
  proven(agent).find(({ status }) => status === 'active');

/** The key in use, if it was not the agent's first. */
function rotatedKey(agent: AgentDocument | undefined): CredentialDocument | undefined {
  const key = agent && newestKey(agent);
  return key !== undefined && agent !== undefined && proven(agent).at(-1) !== key ? key : undefined;
}
