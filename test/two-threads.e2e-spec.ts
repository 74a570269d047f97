import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILED, type ServiceProcess, spawnService } from './support/child';
import { mustBe } from './support/connections';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { isReady } from './support/instances';
import {
  createPayment,
  type PaymentScene,
  pollEvents,
  readPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

/** The files that a program has loaded before it does anything. */
function loadedBy(program: string): readonly string[] {
  // Outside a thread the sending thread's program throws at once, but has loaded all its modules by then.
  const script = `try { require('./dist/src/app/${program}.js'); } catch {}
    process.stdout.write(JSON.stringify(Object.keys(require.cache)));`;
  const { stdout } = spawnSync(process.execPath, [...COMPILED, '-e', script], {
    cwd: join(__dirname, '..'),
    encoding: 'utf8',
  });
  return JSON.parse(stdout) as readonly string[];
}

describe('the program of the sending thread', () => {
  it('loads nothing that only the answering thread needs', () => {
    const files = loadedBy('threads/sends-thread');
    expect(files.some((file) => file.endsWith('webhook-dispatcher.js'))).toBe(true);
    const needless =
      /node_modules\/(?:rxjs|class-validator|express|@nestjs\/(?!common\/(?:decorators|utils|constants)))/;
    expect(files.filter((file) => needless.test(file))).toEqual([]);
  });
});

describe('the program of the service', () => {
  it('loads nothing that a start on the embedded stores does without', () => {
    const files = loadedBy('service');
    expect(files.some((file) => file.endsWith('payment-requests.controller.js'))).toBe(true);
    const needless = /node_modules\/(?:@nestjs\/swagger|mongodb|@eventstore|@grpc|nodemailer)\//;
    expect(files.filter((file) => needless.test(file))).toEqual([]);
  });
});

/** Callers must not notice that a process on the embedded stores has two threads. */
describe('a process with a thread that sends webhooks', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-threads-'));
  const failWhen = join(dataDir, 'fail');
  let dns: DnsResponder;
  let service: ServiceProcess & Readonly<{ dataDir: string }>;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    const hook = join(__dirname, 'support/failing-thread.js');
    const settings = {
      ...env,
      DATA_DIR: dataDir,
      BASE_URL: 'http://svc.test',
      ALLOW_PRIVATE_NETWORKS: 'true',
      NODE_OPTIONS: `--require ${hook}`,
      FAIL_WHEN: failWhen,
    };
    // Without an endpoint the thread that could fail does not exist.
    writeFileSync(failWhen, '');
    service = { ...(await spawnService(settings)), dataDir };
    scene = await setPaymentScene(service, dns);
    receiver = await startWebhookReceiver();
  }, 60_000);
  afterAll(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    await receiver.close();
    await dns.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const create = async (): Promise<string> =>
    mustBe(201, await createPayment(service, scene)).body.payment_request.request_id as string;
  const metrics = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();

  it('starts it once there is an endpoint, and not before', async () => {
    await create();
    expect(await isReady(service)).toBe(true);
    rmSync(failWhen);
    await activeEndpoint(service, scene.merchant, receiver.url);
    const id = await create();
    await receiver.until(() => receiver.received.some(({ data }) => data['payment_request']?.request_id === id));
  });

  it('shows each write to its caller, however many write at once', async () => {
    const write = async (): Promise<void> => {
      for (let round = 0; round < 10; round += 1) {
        const id = await create();
        expect((await readPayment(service, scene, id)).status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: 8 }, write));
  });

  it('wakes waiting callers, and sends to endpoints', async () => {
    const { next_cursor: since } = (await pollEvents(service, scene, 'limit=200')).body;
    const waiting = pollEvents(service, scene, `since=${since as number}&wait=25`);
    await eventually(metrics, (text) => /^svc_event_waiters 1$/m.test(text), 'that it waits');
    const id = await create();
    const [event] = (await waiting).body.events as { request_id: string }[];
    expect(event?.request_id).toBe(id);
    await receiver.until(() => receiver.received.some(({ data }) => data['payment_request']?.request_id === id));
  });

  it('proves what has just happened', async () => {
    const id = await create();
    const { body } = mustBe(
      200,
      await call(`${service.url}/v1/payment-requests/${id}/proof`, { headers: scene.headers }),
    );
    expect(body.proof.pending).toBe(0);
  });

  it('has one page of metrics, with each metric once', async () => {
    const delivered = /^svc_webhook_attempts_total\{outcome="succeeded"\} [1-9]/m;
    const text = await eventually(metrics, (page) => delivered.test(page), 'that the sendings are counted');
    const named = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(named.length).toBe(new Set(named).size);
    for (const name of [
      'svc_leader',
      'svc_projection_lag_seconds',
      'svc_http_connections',
      'process_cpu_seconds_total',
    ]) {
      expect(named).toContain(name);
    }
    expect(text).toMatch(/^svc_leader 1$/m);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('exits as a whole, and says so, when that thread fails', async () => {
    expect(await isReady(service)).toBe(true);
    writeFileSync(failWhen, '');
    expect(await service.ended).toBe(1);
    expect(service.output()).toMatch(
      /"level":"fatal".*told to fail.*the thread that sends webhooks has ended unexpectedly/,
    );
  });
});
