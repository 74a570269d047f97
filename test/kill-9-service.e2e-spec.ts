import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { LOG_START } from '../src/platform/event-store/event-store.port';
import { pause } from '../src/kernel/pause';
import { type ServiceProcess, spawnService } from './support/child';
import { figure, progress, seedOfRun, sizeFrom, timeLimit } from './support/figures';
import { call } from './support/http';
import { createPayment, type PaymentScene, readPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { seededRandom } from './support/seeded';
import { startTestService } from './support/service';

/** 200 and 500 in a full-size run. */
const ROUNDS = sizeFrom('CHAOS_ROUNDS', 2);
const WRITES = sizeFrom('CHAOS_WRITES', 30);
const AT_ONCE = 24;
const random = seededRandom(seedOfRun());

describe('a service that is killed while it takes writes', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-kill-9-'));
  const acknowledged = new Set<string>();
  const refused = new Set<string>();
  let scene: PaymentScene;
  let running: ServiceProcess;
  let slowestMs = 0;

  beforeAll(async () => {
    const { dns, env } = await startPaymentDns();
    const service = await startTestService({ env, dataDir });
    scene = await setPaymentScene(service, dns);
    await service.stop();
    await dns.close();
    running = await start();
  });
  afterAll(async () => {
    await kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(): Promise<ServiceProcess> {
    const begun = performance.now();
    const service = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
    while ((await call(`${service.url}/health/ready`)).status !== 200) await pause(20);
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    return service;
  }
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL');
    await running.ended;
  };

  /** Writes until the service is gone, which happens after `enough` answers; returns what was acknowledged. */
  async function writeUntilKilled(round: number, enough: number): Promise<string[]> {
    const answered: string[] = [];
    let begun = 0;
    let answers = 0;
    let gone = false;
    const worker = async (): Promise<void> => {
      while (!gone) {
        const number = begun++;
        const request_id = `kill-${round}-${number}`;
        // One call in five is invalid: what is refused must not exist either.
        const payment = { amount: number % 5 === 4 ? '-1' : '1' };
        const answer = await createPayment(running, scene, { request_id, payment }).catch(() => undefined);
        if (answer === undefined) return;
        answers += 1;
        if (answer.status < 300) answered.push(request_id);
        else if (answer.status < 500) refused.add(request_id);
        if (answers >= enough && !gone) {
          gone = true;
          running.child.kill('SIGKILL');
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await kill();
    answered.forEach((id) => acknowledged.add(id));
    return answered;
  }

  async function paymentsInLog(): Promise<string[]> {
    const store = await openEmbeddedEventStore(join(dataDir, 'events'));
    const ids: string[] = [];
    for (let page = await store.readAll(LOG_START, 1_000); page.length > 0;) {
      const created = page.filter(({ type }) => type === 'PaymentRequestCreated');
      ids.push(...created.map(({ data }) => (data as { request_id: string }).request_id));
      page = await store.readAll(page.at(-1)?.position ?? LOG_START, 1_000);
    }
    await store.close();
    return ids;
  }

  it(
    `has everything it acknowledged, once, and nothing it refused (${ROUNDS} rounds, seed ${random.seed})`,
    async () => {
      const unreadable: string[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        // At a random moment in the last tenth.
        const answered = await writeUntilKilled(round, WRITES + random.below(Math.ceil(WRITES / 10)));
        running = await start();
        for (const id of answered.slice(-10)) {
          if ((await readPayment(running, scene, id)).status !== 200) unreadable.push(id);
        }
        progress(round + 1, ROUNDS);
      }
      await kill();
      const there = await paymentsInLog();
      const once = new Set(there);
      const lost = [...acknowledged].filter((id) => !once.has(id));
      const unwanted = [...refused].filter((id) => once.has(id));
      const doubled = there.length - once.size + unwanted.length;
      const tried = acknowledged.size + refused.size;
      const promise = 'acknowledged writes after kill -9';
      figure({ promise, tried, lost: lost.length + unreadable.length, doubled, seed: random.seed, slowestMs });
      expect({ lost, unreadable, unwanted, twice: there.length - once.size }).toEqual({
        lost: [],
        unreadable: [],
        unwanted: [],
        twice: 0,
      });
      expect(tried).toBeGreaterThanOrEqual(ROUNDS * WRITES);
      expect(refused.size).toBeGreaterThan(0);
    },
    timeLimit(180_000),
  );
});
