import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStoreReadOnly } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { LOG_START, type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { addAmounts } from '../src/kernel/amounts';
import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  hitl,
  optIn,
  setAgentPaymentScene,
  spentOf,
} from './support/agent-payments';
import { type ServiceProcess, spawnService } from './support/child';
import { eventually } from './support/eventually';
import { countFigure, progress, seedOfRun, sizeFrom, timeLimit } from './support/figures';
import { type Answer, call } from './support/http';
import { startPaymentDns } from './support/payments';
import { startTestService } from './support/service';

/** 20 and 1000 in a full-size run. */
const ROUNDS = sizeFrom('CHAOS_ROUNDS', 1);
const INTENTS = sizeFrom('CHAOS_INTENTS', 200);
const SEED = seedOfRun();
const AMOUNT = '0.1';

type Case = Readonly<{ under: string; caps: readonly string[]; named: boolean; intents: number; promise: string }>;
/** A cap that this many of a thousand intents reach. */
const capFor = (ofAThousand: number): string => String(Math.round((INTENTS * ofAThousand) / 1_000) / 10);
/** How many payments fit into the caps. */
const fitting = ({ caps }: Case): number => caps.reduce((sum, cap) => sum + Math.round(Number(cap) * 10), 0);

const CASES: readonly Case[] = [
  { under: 'a policy', caps: [capFor(601)], named: true, intents: INTENTS, promise: 'a cap holds through kill -9' },
  {
    under: 'a policy that nobody names',
    caps: [capFor(181)],
    named: false,
    intents: Math.round(INTENTS * 0.3),
    promise: 'a cap that nobody names holds through kill -9',
  },
];

describe('a service that is killed while agents spend under a policy', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-policy-kills-'));
  let scene: AgentPaymentScene;
  let running: ServiceProcess;

  beforeAll(async () => {
    const { dns, env } = await startPaymentDns();
    const service = await startTestService({ env, dataDir });
    scene = await setAgentPaymentScene(service, dns);
    await service.stop();
    await dns.close();
    running = await start();
  }, 60_000);
  afterAll(async () => {
    await kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = (): Promise<ServiceProcess> => spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL');
    await running.ended;
  };
  const intend = ({ named }: Case, [policyId]: readonly string[], key: number): Promise<Answer> =>
    createIntent(
      running,
      scene,
      { initiator: 'agent', amount: AMOUNT, ...(named ? { policy_id: policyId } : {}) },
      { 'idempotency-key': `${policyId}-${key}` },
    );

  /** An overloaded service answers 503, so the call is repeated until it has a definite answer. */
  async function intendSurely(which: Case, policies: readonly string[], key: number): Promise<Answer> {
    for (;;) {
      const answer = await intend(which, policies, key);
      if (answer.status !== 503) return answer;
    }
  }

  /** Sends all calls at once, kills the service after `enough` answers, and returns the acknowledged payment ids. */
  async function stormAndKill(which: Case, policies: readonly string[], enough: number): Promise<string[]> {
    const made: string[] = [];
    let answers = 0;
    await Promise.all(
      Array.from({ length: which.intents }, (_, key) =>
        intend(which, policies, key).then(
          ({ status, body }) => {
            answers += 1;
            if (status < 300) made.push(body.data.id as string);
            if (answers >= enough) running.child.kill('SIGKILL');
          },
          () => undefined,
        ),
      ),
    );
    await kill();
    return made;
  }

  /** Reads the streams of the policies and their payments, beside the service or after it was killed. */
  async function audit(policies: readonly string[]) {
    const store = await openEmbeddedEventStoreReadOnly(join(dataDir, 'events'));
    const events: RecordedEvent[] = [];
    for (let page = await store.readAll(LOG_START, 1_000); page.length > 0;) {
      events.push(...page.filter(({ data }) => 'policy_id' in data && policies.includes(data.policy_id as string)));
      page = await store.readAll(page.at(-1)?.position ?? LOG_START, 1_000);
    }
    await store.close();
    const idsOf = (type: string): string[] =>
      events.filter((event) => event.type === type).map(({ data }) => (data as { payment_id: string }).payment_id);
    return { reserved: idsOf('AmountReserved'), released: idsOf('AmountReleased'), made: idsOf('AgentPaymentCreated') };
  }

  async function paymentsUnder(policies: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const query = `limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const { status, body } = await call(`${running.url}/v1/agent-payments?${query}`, { headers: scene.headers });
      // Once several processes in a row were killed soon after they opened it, the read model is rebuilt from the log.
      if (status === 503) continue;
      const { agent_payments, next_cursor } = body.data as {
        agent_payments: { id: string; policy_id?: string }[];
        next_cursor: string | null;
      };
      found.push(...agent_payments.filter(({ policy_id = '' }) => policies.includes(policy_id)).map(({ id }) => id));
      if (next_cursor === null) return found;
      cursor = next_cursor;
    }
  }

  const total = (count: number): string =>
    Array.from({ length: count }, () => AMOUNT).reduce((sum, amount) => addAmounts(sum, amount), '0');
  const spentUnder = (policies: readonly string[]): Promise<string[]> =>
    Promise.all(policies.map(async (id) => (await spentOf(running, scene, id))[0]));

  let rounds = 0;
  it.each(CASES)(
    `spends the caps of $under exactly, loses nothing it answered, and finishes what it began (${ROUNDS} rounds, seed ${SEED})`,
    async (which) => {
      const { caps, intents } = which;
      const fits = fitting(which);
      // Kills at a uniformly random moment while there is still something to reserve.
      const someTime = fc.noBias(fc.integer({ min: 1, max: fits }));
      const oneRound = fc.asyncProperty(someTime, async (enough) => {
        const policies: string[] = [];
        for (const cumulative_limit of caps) {
          policies.push(await createActivePolicy(running, scene, { single_tx_limit: '1', cumulative_limit }));
        }
        const answered = await stormAndKill(which, policies, enough);
        const left = await audit(policies);
        expect(left.reserved.length).toBeLessThanOrEqual(fits);
        expect(left.made).toEqual(expect.arrayContaining(answered));

        // Nobody repeats a call: the service itself completes what was reserved, and nothing else.
        running = await start();
        const made = await eventually(
          () => paymentsUnder(policies),
          ({ length }) => length >= left.reserved.length,
          'a payment for each reservation',
        );
        expect([...made].sort()).toEqual([...left.reserved].sort());
        expect((await spentUnder(policies)).reduce(addAmounts)).toBe(total(made.length));

        // Then every call is repeated, as by callers that got no answer.
        const again = await Promise.all(
          Array.from({ length: intents }, (_, key) => intendSurely(which, policies, key)),
        );
        const refused = again.filter(({ status }) => status >= 300);
        expect(refused.map(hitl)).toEqual(refused.map(() => [403, 'HC_NC_5_HITL_REQUIRED', ['cumulative_limit']]));
        expect(refused).toHaveLength(intents - fits);
        expect(again.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(made.length);
        expect(await spentUnder(policies)).toEqual(caps);
        const { reserved, released, made: inLog } = await audit(policies);
        countFigure(which.promise, intents, fits, inLog.length, SEED);
        progress((rounds += 1), ROUNDS * CASES.length);
        expect([reserved.length, released.length]).toEqual([fits, 0]);
        expect(new Set(inLog).size).toBe(fits);
        expect([...inLog].sort()).toEqual([...reserved].sort());
        // The next round's payments must not find these policies; what waits under them is withdrawn by that.
        for (const id of policies) await optIn(running, scene, id, 'opt-out');
      });
      await fc.assert(oneRound, { numRuns: ROUNDS, endOnFailure: true, seed: SEED });
    },
    timeLimit(1_200_000),
  );
});
