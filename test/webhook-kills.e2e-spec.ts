import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../src/kernel/pause';
import { ClockedProcess } from './support/clocked-process';
import { figure, progress, seedOfRun, sizeFrom, timeLimit } from './support/figures';
import { HostileReceiver, LIFECYCLE } from './support/hostile-receiver';
import { type Answer } from './support/http';
import { createPayment, type PaymentScene, reportPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService } from './support/service';
import { activeEndpoint } from './support/webhook-receiver';

/** 10000 and 8 in a full-size run. */
const REQUESTS = Math.ceil(sizeFrom('HOSTILE_EVENTS', 120) / LIFECYCLE.length);
const EVENTS = REQUESTS * LIFECYCLE.length;
const KILLS = sizeFrom('HOSTILE_KILLS', 2);
const SEED = seedOfRun();
const AT_ONCE = 16;
const ATTEMPT_MS = 300;
const HASH = 'ab'.repeat(32);
const DAY_MS = 24 * 3_600_000;

describe('webhooks to a hostile receiver from a sender that is killed', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-hostile-'));
  const receiver = new HostileReceiver(SEED, EVENTS, ATTEMPT_MS);
  let scene: PaymentScene;
  let sender: ClockedProcess;

  beforeAll(async () => {
    await receiver.listen();
    const { dns, env } = await startPaymentDns();
    const allowed = { ALLOW_PRIVATE_NETWORKS: 'true' };
    const service = await startTestService({ env: { ...env, ...allowed }, dataDir });
    scene = await setPaymentScene(service, dns);
    const { endpointId } = await activeEndpoint(service, scene.merchant, receiver.url);
    await service.stop();
    await dns.close();
    const settings = { DATA_DIR: dataDir, LOG_LEVEL: 'silent', ATTEMPT_MS: String(ATTEMPT_MS) };
    sender = new ClockedProcess(endpointId, { ...settings, ...allowed });
    await sender.service;
  }, 60_000);
  afterAll(async () => {
    await sender.end();
    receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Repeats until there is a response: the service may be killed at any moment. */
  async function insist(ask: (url: string) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const { url } = await sender.service;
      const answer = await ask(url).catch(() => undefined);
      if (answer !== undefined && answer.status < 300) return answer;
      if (answer !== undefined && answer.status < 500) throw new Error(answer.text);
      await pause(20);
    }
  }

  async function liveThrough(number: number): Promise<string> {
    const named = { 'idempotency-key': `hostile-${number}` };
    const { body } = await insist((url) => createPayment({ url }, scene, {}, named));
    const id = body.payment_request.request_id as string;
    const hash = { transaction_hash: HASH };
    for (const report of [{ status: 'signed' }, { status: 'broadcasted', ...hash }, { status: 'confirmed', ...hash }]) {
      await insist((url) => reportPayment({ url }, scene, id, report));
    }
    return id;
  }

  /** Spreads the kills over the whole run: some while events happen, others while old ones are sent again. */
  function planKills(): void {
    const moments = fc.sample(fc.integer({ min: 1, max: EVENTS }), { seed: SEED, numRuns: KILLS });
    receiver.onMessage = () => {
      const due = moments.findIndex((moment) => receiver.received >= moment);
      if (due === -1) return;
      moments.splice(due, 1);
      sender.kill();
    };
  }

  it(
    `lose nothing, and keep the order of every request (${EVENTS} events, ${KILLS} kills, seed ${SEED})`,
    async () => {
      planKills();
      const ids: string[] = [];
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < REQUESTS) ids.push(await liveThrough(next++));
      };
      const started = performance.now();
      await Promise.all(Array.from({ length: AT_ONCE }, worker));

      receiver.mayBeGone = true;
      let skipped = 0;
      let switchedOn = 0;
      for (;;) {
        const { now, active, firstDue, lastDue, anyFailed } = await sender.ask({ kind: 'look' });
        // A delivery whose retries are exhausted is not waited for; here there should be none.
        expect(anyFailed).toBe(false);
        progress(receiver.acceptedOf(ids), EVENTS);
        if ((receiver.acceptedOf(ids) === EVENTS && firstDue === null) || receiver.faults.length > 0) break;
        if (!active) {
          switchedOn += 1;
          await sender.ask({ kind: 'switch-on' });
        } else if (firstDue !== null && lastDue !== null && firstDue > now && !receiver.isDown) {
          const ahead = Date.parse(lastDue) - Date.parse(now) + 1;
          skipped += ahead;
          await sender.skip(ahead);
        }
        await pause(20);
      }

      const promise = 'webhooks to a hostile receiver, kill -9';
      const lost = EVENTS - receiver.acceptedOf(ids);
      figure({ promise, tried: EVENTS, lost, doubled: receiver.faults.length, seed: SEED });
      expect({ faults: receiver.faults, lost }).toEqual({ faults: [], lost: 0 });
      expect(new Set(ids).size).toBe(REQUESTS);
      expect(sender.kills).toBe(KILLS);
      expect(receiver.received).toBeGreaterThan(EVENTS);
      const seconds = ((performance.now() - started) / 1000).toFixed(0);
      const moods = [...receiver.moods].map(([mood, count]) => `${mood} ${count}`).join(', ');
      process.stdout.write(
        `${EVENTS} events in ${receiver.received} messages (${moods}), ${sender.kills} kills, ${switchedOn} times switched ` +
          `on again, ${(skipped / DAY_MS).toFixed(1)} days in ${seconds} s\n`,
      );
    },
    timeLimit(600_000),
  );
});
