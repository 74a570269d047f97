import { openEmbeddedEventStore } from '../../src/event-store/embedded/open-embedded-event-store';
import { encodeEvent } from '../../src/event-store/event-codec';
import { type EventStore } from '../../src/event-store/event-store.port';
import { CommandRunner } from '../../src/event-store/run-command';
import { payment } from '../../src/agent-payments/agent-payment.fixtures';
import { policyBudget } from '../../src/agent-payments/policy-budget';
import { optedIn, proposed, reserve, reserved } from '../../src/agent-payments/policy-budget.fixtures';
import { type AutomationPolicyEvent } from '../../src/automation-policies/automation-policy.events';
import { systemClock, timestamp } from '../../src/kernel/clock';
import { newId } from '../../src/kernel/ids';
import { inTempFolder } from './stores';

const RESERVATIONS = 100_000;
const INTENTS = 500;
const context = { requestId: 'bench', actor: { kind: 'bench', id: 'bench' } };
const write = (line: string): void => void process.stdout.write(`${line}\n`);

const unlimited: AutomationPolicyEvent = {
  type: 'AutomationPolicyChanged',
  data: {
    policy_id: 'pol_bench',
    merchant_id: payment.merchant_id,
    terms: {
      single_tx_limit: '1',
      cumulative_limit: '1000000',
      valid_from: '2029-01-01T00:00:00.000Z',
      valid_until: '2031-01-01T00:00:00.000Z',
      allowlist: [payment.recipient_id],
    },
    changed_at: payment.created_at,
  },
};

const next = () => ({ payment_id: newId('ap'), amount: '0.0000001' });

async function fill(store: EventStore, policyId: string, count: number): Promise<void> {
  const stream = `automation_policy-${policyId}`;
  const encode = (event: AutomationPolicyEvent) => encodeEvent(event, context, timestamp(new Date()));
  await store.append(stream, 0, [proposed, unlimited, optedIn].map(encode));
  for (let written = 0; written < count; written += 1_000) {
    const batch = Array.from({ length: 1_000 }, () => encode(reserved(next(), newId('rsv'))));
    await store.append(stream, 3 + written, batch);
  }
}

type Cost = Readonly<{ loadMs: number; intentMs: number; decideMicros: number }>;

async function costOf(store: EventStore, policyId: string): Promise<Cost> {
  const runner = new CommandRunner(store, systemClock, () => Promise.resolve());
  const began = performance.now();
  const { state } = await runner.fold(policyBudget, policyId);
  const loadMs = performance.now() - began;

  const decided = performance.now();
  let budget = state;
  for (let count = 0; count < INTENTS; count += 1) {
    const events = policyBudget.decide(reserve(next(), newId('rsv')), budget);
    budget = events.reduce(policyBudget.evolve, budget);
  }
  const decideMicros = ((performance.now() - decided) * 1_000) / INTENTS;

  const started = performance.now();
  for (let count = 0; count < INTENTS; count += 1) {
    await runner.run(policyBudget, policyId, { ...reserve(next(), newId('rsv')), policyId }, context);
  }
  return { loadMs, decideMicros, intentMs: (performance.now() - started) / INTENTS };
}

/** What an intent costs on a policy that has seen nothing, and on one with a hundred thousand open reservations. */
async function main(): Promise<void> {
  write('| Policy | first load ms | decide µs | durable reservation ms |');
  write('|---|---|---|---|');
  await inTempFolder(async (folder) => {
    const store = await openEmbeddedEventStore(folder);
    for (const [name, count] of [
      ['fresh', 0],
      [`${RESERVATIONS} open reservations`, RESERVATIONS],
    ] as const) {
      const policyId = newId('pol');
      await fill(store, policyId, count);
      const { loadMs, decideMicros, intentMs } = await costOf(store, policyId);
      write(`| ${name} | ${loadMs.toFixed(0)} | ${decideMicros.toFixed(1)} | ${intentMs.toFixed(2)} |`);
    }
    await store.close();
  });
}

void main();
