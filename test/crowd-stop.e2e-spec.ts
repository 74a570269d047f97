import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from './support/child';
import { askingForEvents, type Crowd, CROWDED_CONNECTIONS, gather } from './support/crowd';
import { eventually } from './support/eventually';
import { figure, progress, sizeFrom, timeLimit } from './support/figures';
import { type Answer, call } from './support/http';
import { reasonOf } from './support/other-callers';
import { connectAnotherWallet, createPayment, type PaymentScene, severalWallets } from './support/payments';
import { prepareScene } from './support/prepared-scene';
import { startStopwatch } from './support/stopwatch';

/** 20 in a full-size run. */
const ROUNDS = sizeFrom('CHAOS_ROUNDS', 1);
/** The callers of each kind, and the events for those that start at the beginning. */
const [WAITING, BACKLOG] = process.env['CHAOS_LIMITS'] === 'full' ? [1_000, 1_000] : [40, 50];
const WORKERS = 4;

describe('a service that is asked to stop while many callers wait', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-crowd-stop-'));
  let service: ServiceProcess;
  let waiting: readonly PaymentScene[];
  let working: PaymentScene;

  beforeAll(async () => {
    await prepareScene(dataDir, async (preparing, scene) => {
      working = await connectAnotherWallet(preparing, scene);
      waiting = await severalWallets(preparing, scene, CROWDED_CONNECTIONS);
      for (let made = 0; made < BACKLOG; made += 50)
        for (const one of waiting) await Promise.all(Array.from({ length: 50 }, () => createPayment(preparing, one)));
    });
  }, 120_000);
  afterAll(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    rmSync(dataDir, { recursive: true, force: true });
  });

  const crowd = (query: string, accept: string, reads = true): Promise<Crowd> =>
    gather(service.url, WAITING, {
      sends: waiting.map(({ headers }) => askingForEvents(headers, query, accept)),
      reads,
    });
  const waiters = async (): Promise<number> =>
    Number(/^svc_event_waiters (\d+)$/m.exec((await call(`${service.url}/metrics`)).text)?.[1]);
  const oneCall = (index: number): Promise<Answer> =>
    index % 2 === 0
      ? createPayment(service, working)
      : call(`${service.url}/v1/payment-requests/events?since=0&limit=10`, { headers: working.headers });

  /** Calls until connections are refused; `dropped` lists the calls before that which did not succeed. */
  function keepWorking(stopped: () => number) {
    const dropped: string[] = [];
    let asked = 0;
    const worker = async (): Promise<void> => {
      for (let refused = false; !refused;) {
        asked += 1;
        const begun = performance.now();
        const outcome = await oneCall(asked).then(({ status }) => String(status), reasonOf);
        refused = outcome.includes('ECONNREFUSED');
        if (refused || /^20[01]$/.test(outcome)) continue;
        dropped.push(`${outcome}, sent ${Math.round(begun - stopped())} ms after the signal`);
      }
    };
    const over = Promise.all(Array.from({ length: WORKERS }, worker));
    return { asked: () => asked, dropped: over.then(() => dropped) };
  }

  async function stopOnce() {
    service = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
    const polls = await crowd('since=9999999&wait=30', 'application/json');
    const streams = await crowd('since=9999999', 'text/event-stream');
    const deaf = await crowd('since=0', 'text/event-stream', false);
    const silent = await gather(service.url, 20);
    // Streams that nobody reads may still be sending their backlog.
    await eventually(waiters, (count) => count >= 2 * WAITING, 'callers that wait');
    let begun = Infinity;
    const work = keepWorking(() => begun);
    await eventually(
      async () => work.asked(),
      (count) => count > 40,
      'calls under way',
    );
    begun = performance.now();
    const measured = startStopwatch();
    service.child.kill('SIGTERM');
    const code = await service.ended;
    const took = measured();
    const dropped = await work.dropped;
    await polls.until(() => polls.open() === 0);
    await streams.until(() => streams.open() === 0);
    for (const gone of [polls, streams, deaf, silent]) gone.leave();
    const unanswered = 2 * WAITING - polls.answeredWith('HTTP/1.1 200 ') - streams.answeredWith('HTTP/1.1 200 ');
    return { code, took, dropped, unanswered, cutOff: polls.cutOff() + streams.cutOff() };
  }

  it(
    `answers all of them: ${WAITING} long polls and ${2 * WAITING} streams, half of which nobody reads (${ROUNDS} rounds)`,
    async () => {
      const promise = 'stops beside a crowd that waits';
      for (let round = 0; round < ROUNDS; round += 1) {
        const { took: slowestMs, ...seen } = await stopOnce();
        const lost = seen.dropped.length + seen.unanswered + seen.cutOff;
        figure({ promise, tried: 3 * WAITING, lost, doubled: 0, slowestMs });
        process.stdout.write(`stopped beside a crowd in ${Math.round(slowestMs)} ms\n`);
        expect(seen).toEqual({ code: 0, dropped: [], unanswered: 0, cutOff: 0 });
        expect(slowestMs).toBeLessThan(10_000);
        progress(round + 1, ROUNDS);
      }
    },
    timeLimit(120_000),
  );
});
