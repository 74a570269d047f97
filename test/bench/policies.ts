import { openEmbeddedEventStore } from '../../src/platform/event-store/embedded/open-embedded-event-store';
import { encodeEvent } from '../../src/platform/event-store/event-codec';
import { type EventStore } from '../../src/platform/event-store/event-store.port';
import { CommandRunner } from '../../src/platform/event-store/run-command';
import { policyBudget } from '../../src/capabilities/agent-payments/policy-budget';
import {
  changedTo,
  optedIn,
  proposed,
  reserve,
  reserved,
} from '../../src/capabilities/agent-payments/policy-budget.fixtures';
import { type AutomationPolicyEvent } from '../../src/events/automation-policy.events';
import { systemClock, timestamp } from '../../src/kernel/clock';
import { newId } from '../../src/kernel/ids';
import { inTempFolder } from './stores';
import { type PolicyId } from '../../src/kernel/aggregates';

const ROUNDS = 20;
const INTENTS_A_ROUND = 200;
const context = { requestId: 'bench', actor: { kind: 'bench', id: 'bench' } };

/** Medians over interleaved rounds, so that other load on the machine affects all alike. */
export type PolicyCost = Readonly<{ reservations: number; decideMicros: number; intentMs: number }>;
/** What a restart costs once: reading the stream, and how long that blocks others at a time. */
export type ColdRead = Readonly<{ ms: number; longestWaitMs: number }>;

export const policyCosts = (counts: readonly number[]): Promise<readonly (PolicyCost & { cold: ColdRead })[]> =>
  inTempFolder(async (folder) => {
    const store = await openEmbeddedEventStore(folder);
    const runner = new CommandRunner(store, systemClock, () => Promise.resolve());
    const policies = [];
    for (const reservations of counts) {
      const policyId = newId('pol');
      await fill(store, policyId, reservations);
      const cold = await coldRead(runner, policyId);
      policies.push({ reservations, policyId, cold, decided: [] as number[], reservedIn: [] as number[] });
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { policyId, decided, reservedIn } of policies) {
        decided.push(await decideMicros(runner, policyId));
        reservedIn.push(await intentMs(runner, policyId));
      }
    }
    await store.close();
    return policies.map(({ reservations, cold, decided, reservedIn }) => ({
      reservations,
      cold,
      decideMicros: median(decided),
      intentMs: median(reservedIn),
    }));
  });

const next = () => ({ payment_id: newId('ap'), amount: '0.0000001' });

async function fill(store: EventStore, policyId: string, count: number): Promise<void> {
  const stream = `automation_policy-${policyId}`;
  const encode = (event: AutomationPolicyEvent) => encodeEvent(event, context, timestamp(new Date()));
  const roomy = changedTo({ single_tx_limit: '1', cumulative_limit: '1000000' });
  await store.append(stream, 0, [proposed, roomy, optedIn].map(encode));
  for (let written = 0; written < count; written += 1_000) {
    const batch = Array.from({ length: 1_000 }, () => encode(reserved(next(), newId('rsv'))));
    await store.append(stream, 3 + written, batch);
  }
}

async function coldRead(runner: CommandRunner, policyId: PolicyId): Promise<ColdRead> {
  let reading = true;
  let longestWaitMs = 0;
  const others = (async () => {
    for (let before = performance.now(); reading; before = performance.now()) {
      await new Promise(setImmediate);
      longestWaitMs = Math.max(longestWaitMs, performance.now() - before);
    }
  })();
  const began = performance.now();
  await runner.fold(policyBudget, policyId);
  const ms = performance.now() - began;
  reading = false;
  await others;
  return { ms, longestWaitMs };
}

async function decideMicros(runner: CommandRunner, policyId: PolicyId): Promise<number> {
  let { state } = await runner.fold(policyBudget, policyId);
  const began = performance.now();
  for (let count = 0; count < INTENTS_A_ROUND; count += 1) {
    state = policyBudget.decide(reserve(next(), newId('rsv')), state).reduce(policyBudget.evolve, state);
  }
  return ((performance.now() - began) * 1_000) / INTENTS_A_ROUND;
}

/** Decided and stored durably, as for a real intent. */
async function intentMs(runner: CommandRunner, policyId: PolicyId): Promise<number> {
  const began = performance.now();
  for (let count = 0; count < INTENTS_A_ROUND; count += 1) {
    await runner.run(policyBudget, policyId, { ...reserve(next(), newId('rsv')), policyId }, context);
  }
  return (performance.now() - began) / INTENTS_A_ROUND;
}

const median = (figures: readonly number[]): number =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? NaN;
