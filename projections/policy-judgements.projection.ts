import { notFollowed } from '../src/kernel/assert-never';
import { type AgentPaymentEvent, type AgentPaymentRefused, type Threshold } from '../src/events/agent-payment.events';
import { type AutomationPolicyEvent } from '../src/events/automation-policy.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type ConnectionId, type PaymentId, type PolicyId, type RecipientId } from '../src/kernel/aggregates';

/**
 * What a policy was asked, in a form compact enough to read a hundred thousand at a time. `order` is twice the version
 * of the policy's stream that decided, plus one for a refusal, which is recorded elsewhere, perhaps later in the log.
 */
export type Judgement = readonly [
  order: number,
  payment_id: PaymentId,
  idempotency_key: string | null,
  amount: string,
  recipient_id: RecipientId,
  at: string,
  facts: number,
];
/** The outcome of a reservation. */
export type Closing = readonly [order: number, payment_id: PaymentId, 'released' | 'settled' | 'late'];
export type JudgementEntry = Judgement | Closing;

/** Flags of `facts`: what held, whatever the thresholds were. */
export const PERMITTED = 1;
/** The policy was agreed to, and neither changed, opted out of nor revoked since. */
export const ACTIVE = 2;
/** The recipient was paid under the agreed version, or was not among those agreed to. */
export const AGREED = 4;
/** It is about the policy's connection, network and asset. */
export const ABOUT = 8;

/** The newest entries of a policy; older ones are in chunks that never change. */
export type PolicyJudgements = Readonly<{
  id: string;
  connection_id: ConnectionId;
  network: string;
  asset: string;
  allowlist: readonly string[];
  version: number;
  chunks: number;
  tail: readonly JudgementEntry[];
}>;

export type JudgementChunk = Readonly<{
  id: string;
  policy_id: PolicyId;
  number: number;
  entries: readonly JudgementEntry[];
}>;

const CHUNK_SIZE = 64;

export const policyJudgements = collection<PolicyJudgements>('policy_judgements');
export const judgementChunks = collection<JudgementChunk>('policy_judgement_chunks', {
  by_policy: { equals: ['policy_id'], sort: 'number' },
});

export const policyJudgementsProjection: Projection = {
  name: 'policy-judgements',
  version: 2,
  collections: [policyJudgements, judgementChunks],
  project: (event) => steps(event as RecordedEvent & (AutomationPolicyEvent | AgentPaymentEvent)),
};

function steps({ type, data, version }: RecordedEvent & (AutomationPolicyEvent | AgentPaymentEvent)): readonly Step[] {
  switch (type) {
    case 'AutomationPolicyCreated': {
      const { policy_id: id, connection_id, network, asset, terms } = data;
      const about = { connection_id, network, asset, allowlist: terms.allowlist };
      return [create(policyJudgements, { id, ...about, version, chunks: 0, tail: [] })];
    }
    case 'AutomationPolicyChanged':
    case 'AutomationPolicyOptedIn':
    case 'AutomationPolicyOptedOut':
    case 'AutomationPolicyRevoked':
    case 'AutomationPolicyReplaced':
    case 'AutomationPolicyDeclined': {
      const terms = 'terms' in data ? data.terms : undefined;
      return [
        change(policyJudgements, data.policy_id, (known) => ({
          ...known,
          version,
          allowlist: terms?.allowlist ?? known.allowlist,
        })),
      ];
    }
    case 'AmountReserved': {
      const { payment_id, amount, payment } = data;
      const { idempotency_key: key, recipient_id, created_at } = payment;
      const facts = PERMITTED | ACTIVE | AGREED | ABOUT;
      return [
        add(data.policy_id, version, () => [2 * version, payment_id, key, amount, recipient_id, created_at, facts]),
      ];
    }
    case 'AmountReleased':
      return [add(data.policy_id, version, () => [2 * version, data.payment_id, 'released'])];
    case 'AmountSettled':
      return [add(data.policy_id, version, () => [2 * version, data.payment_id, 'settled'])];
    case 'AmountSpentLate':
      return [add(data.policy_id, version, () => [2 * version, data.payment_id, 'late'])];
    case 'AmountBroadcasted':
    case 'AutomationPolicyOptInLapsed':
      return ignored;
    case 'AgentPaymentRefused':
      return data.policy_id === null ? [] : [add(data.policy_id, 0, (known) => refusal(data, known))];
    case 'AgentPaymentCreated':
    case 'AgentPaymentForgone':
    case 'AgentPaymentSigned':
    case 'AgentPaymentBroadcasted':
    case 'AgentPaymentConfirmed':
    case 'AgentPaymentFailed':
    case 'AgentPaymentRejected':
    case 'AgentPaymentExpired':
    case 'AgentPaymentWithdrawn':
    case 'AgentPaymentLateReport':
    case 'AgentPaymentSettlementObserved':
    case 'AgentPaymentSettlementCheckRequested':
      return ignored;
    default:
      return notFollowed(type, ignored);
  }
}

function refusal(data: AgentPaymentRefused['data'], known: PolicyJudgements): Judgement {
  const { payment_id, amount, recipient_id, refused_at, triggered_thresholds: triggered } = data;
  const has = (threshold: Threshold): boolean => triggered.includes(threshold);
  const isAbout =
    data.connection_id === known.connection_id && data.network === known.network && data.asset === known.asset;
  // Of the two reasons to refuse a recipient, this one depends on no threshold: it has changed since it was agreed to.
  const hasMoved = has('allowlist') && known.allowlist.includes(recipient_id);
  const facts = (has('no_active_policy') ? 0 : ACTIVE) | (hasMoved ? 0 : AGREED) | (isAbout ? ABOUT : 0);
  const order = 2 * (data.policy_revision ?? known.version) + 1;
  return [order, payment_id, data.idempotency_key ?? null, amount, recipient_id, refused_at, facts];
}

/** A full tail becomes a chunk, so that no document is ever longer than one. */
const add = (policyId: PolicyId, version: number, entry: (known: PolicyJudgements) => JudgementEntry): Step => ({
  collection: policyJudgements,
  id: policyId,
  next: (current) => {
    if (current === undefined) throw new Error(`projection of policy judgements: ${policyId} was never created`);
    const known = current as PolicyJudgements;
    const tail = [...known.tail, entry(known)];
    const document = { ...known, version: Math.max(version, known.version), tail };
    if (tail.length < CHUNK_SIZE) return { document };
    const chunk: JudgementChunk = {
      id: `${policyId}:${known.chunks}`,
      policy_id: policyId,
      number: known.chunks,
      entries: tail,
    };
    return {
      document: { ...document, chunks: known.chunks + 1, tail: [] },
      also: [{ collection: judgementChunks, document: chunk }],
    };
  },
});
