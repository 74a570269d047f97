import { type PolicySimulation, type SimulatedThresholds, type Thresholds } from '../../sdk/src/types/agent-payment.ts';

const MONTH_MS = 30 * 24 * 3_600_000;
/** At most this many policies are simulated, one after another. */
const MAX_POLICIES = 5;
const AMOUNT = /^(?=.*[1-9])\d+(\.\d+)?$/;
/** Earlier than any payment that was ever judged. */
const BEFORE_ANY_PAYMENT = '2000-01-01T00:00:00.000Z';

/** All limits once they are complete; with one missing nothing can be simulated. */
export function completeThresholds(typed: Partial<Thresholds>): Thresholds | undefined {
  const { single_tx_limit: single = '', cumulative_limit: cumulative = '', allowlist = [] } = typed;
  const { valid_from: from = '', valid_until: until = '' } = typed;
  if (!AMOUNT.test(single) || !AMOUNT.test(cumulative)) return undefined;
  if (from === '' || until === '' || until <= from || allowlist.length === 0) return undefined;
  return { single_tx_limit: single, cumulative_limit: cumulative, valid_from: from, valid_until: until, allowlist };
}

/**
 * The question about the last month. The validity window is treated as if it had begun earlier: one that begins today
 * would have let nothing through last month, which says nothing about the limits.
 */
export const questionOf = (thresholds: Thresholds, now: number): SimulatedThresholds => ({
  ...thresholds,
  valid_from: BEFORE_ANY_PAYMENT,
  from: new Date(now - MONTH_MS).toISOString(),
});

export type Simulated = PolicySimulation & Readonly<{ policyId: string }>;

/** The first of these policies that judged anything: a new policy has no history, but an earlier one may have. */
export async function firstWithPast(
  policyIds: readonly string[],
  simulate: (policyId: string) => Promise<PolicySimulation>,
): Promise<Simulated | null> {
  for (const policyId of policyIds) {
    const answer = await simulate(policyId);
    if (answer.intents > 0) return { ...answer, policyId };
  }
  return null;
}

type About = Readonly<{ connection_id: string; network: string; asset: string }>;
type Known = About & Readonly<{ id: string; created_at: string }>;

/** Policies with a relevant history: its own, then those with the same connection, network and asset, newest first. */
export function policiesWithPast(policies: readonly Known[], about: About | Known): readonly string[] {
  const own = 'id' in about ? about.id : undefined;
  const others = policies
    .filter(({ id }) => id !== own)
    .filter((one) => (['connection_id', 'network', 'asset'] as const).every((name) => one[name] === about[name]))
    .sort((one, other) => other.created_at.localeCompare(one.created_at))
    .map(({ id }) => id);
  return [...(own === undefined ? [] : [own]), ...others].slice(0, MAX_POLICIES);
}

/** “3 of 214 payments”, and what would have been different. */
export function simulationWords({ intents, refused, differences }: PolicySimulation, whom: string) {
  const held = differences.filter(({ permitted }) => !permitted).length;
  const freed = differences.length - held;
  const all = `${intents} ${intents === 1 ? 'payment' : 'payments'}`;
  const changes = [
    ...(held > 0 ? [`${held} that went through would have waited`] : []),
    ...(freed > 0 ? [`${freed} that waited would have gone through`] : []),
  ];
  return {
    sentence: `With these limits, ${refused} of ${all} last month would have waited for ${whom}.`,
    change: changes.length === 0 ? 'Every decision would have been the same.' : `${changes.join('; ')}.`,
  };
}

const WORDS: Readonly<Record<string, string>> = {
  single_tx_limit: 'more than one payment may be',
  cumulative_limit: 'more than was left of the cumulative limit',
  validity_window: 'outside the time it is valid',
  allowlist: 'payee not on the allowlist',
  no_active_policy: 'the policy was not agreed to then',
};

export const thresholdWords = (triggered: readonly string[]): string =>
  triggered.map((one) => WORDS[one] ?? one.replaceAll('_', ' ')).join(', ');
