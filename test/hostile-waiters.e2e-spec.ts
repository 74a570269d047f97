import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capacityWithin, openFilesLimit } from '../src/http/server/capacity';
import { type ServiceProcess, spawnService } from './support/child';
import { askingForEvents, gather } from './support/crowd';
import { eventually } from './support/eventually';
import { figure, sizeFrom, timeLimit } from './support/figures';
import { call } from './support/http';
import { connectAnotherWallet, createPayment, type PaymentScene } from './support/payments';
import { prepareScene } from './support/prepared-scene';

/** 4,000 in a full-size run. */
const WAITERS = sizeFrom('HOSTILE_WAITERS', 600);
const SOCKETS_AHEAD = 4;
const EACH = capacityWithin(openFilesLimit()).waitersEach;

describe('one credential with many long polls', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-waiters-'));
  let service: ServiceProcess;
  let greedy: PaymentScene;
  let modest: PaymentScene;

  beforeAll(async () => {
    greedy = await prepareScene(dataDir, async (preparing, scene) => {
      modest = await connectAnotherWallet(preparing, scene);
    });
    service = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  }, 120_000);
  afterAll(async () => {
    service.child.kill('SIGTERM');
    await service.ended;
    rmSync(dataDir, { recursive: true, force: true });
  });

  const waiters = async (): Promise<number> =>
    Number(/^svc_event_waiters (\d+)$/m.exec((await call(`${service.url}/metrics`)).text)?.[1]);

  it(
    `has its own oldest ended, ${WAITERS} at once, pipelined ones too; others keep waiting, and dead ones are forgotten`,
    async () => {
      const poll = askingForEvents(greedy.headers, 'since=9999999&wait=30', 'application/json');
      const crowd = await gather(service.url, WAITERS, { sends: poll });
      await crowd.until(() => crowd.answeredWith('HTTP/1.1 200 ') >= WAITERS - EACH);
      const ahead = await gather(service.url, SOCKETS_AHEAD, { sends: poll.repeat(500) });
      const during = await waiters();
      const theirs = call(`${service.url}/v1/payment-requests/events?since=0&wait=20`, { headers: modest.headers });
      await eventually(waiters, (count) => count >= Math.min(EACH, WAITERS), 'the modest one to wait');
      expect((await createPayment(service, modest)).status).toBe(201);
      const { body } = await theirs;
      crowd.leave();
      ahead.leave();
      // A connection with pipelined requests is not read: its end shows only with the next response.
      const after = await eventually(waiters, (count) => count <= SOCKETS_AHEAD, 'the dead to be forgotten');
      process.stdout.write(`${JSON.stringify({ row: 'waiters', WAITERS, each: EACH, during, after })}\n`);
      figure({ promise: 'waiters of one credential', tried: WAITERS, lost: 0, doubled: Math.max(0, during - EACH) });
      expect(during).toBeLessThanOrEqual(EACH);
      expect(body.events).toHaveLength(1);
    },
    timeLimit(120_000),
  );
});
