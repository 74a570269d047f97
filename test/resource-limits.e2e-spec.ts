import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from './support/child';
import { askingForEvents, type Crowd, CROWDED_CONNECTIONS, gather } from './support/crowd';
import { eventually } from './support/eventually';
import { figure } from './support/figures';
import { type Answer, call } from './support/http';
import { measureCalls, measureInTurns, type CallStats } from './support/other-callers';
import { connectAnotherWallet, createPayment, type PaymentScene, severalWallets } from './support/payments';
import { prepareScene } from './support/prepared-scene';
import { memoryOf } from './support/process-memory';

/** `CHAOS_LIMITS=full` tests the promised figures, which need 12,000 open files here and in the service. */
const FULL = process.env['CHAOS_LIMITS'] === 'full';
const IDLE = FULL ? 10_000 : 200;
const SLOW = FULL ? 1_000 : 30;
const WAITING = FULL ? 1_000 : 40;
const CALLS = FULL ? 1_000 : 40;
const BACKLOG = FULL ? 1_000 : 50;
/** Memory for a crowd's connections, its requests and one shared page of events. */
const MAX_GROWTH_MB = 300;

const DEVICE = '{"name":"Phone"}';
const SLOW_HEADERS = 'GET /v1/errors HTTP/1.1\r\nHost: x\r\nX-Slow: ';
const SLOW_BODY =
  'POST /v1/wallet-devices HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{';

const inTurn = <T>(several: readonly T[], count: number): T => several[count % several.length] as T;

describe('callers who take more than their share', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-limits-'));
  const quietDir = mkdtempSync(join(tmpdir(), 'svc-limits-'));
  const crowds: Crowd[] = [];
  let service: ServiceProcess;
  /** The same service without a crowd, for comparison. */
  let quiet: ServiceProcess | undefined;
  let greedy: readonly PaymentScene[];
  let modest: PaymentScene;

  beforeAll(async () => {
    await prepareScene(dataDir, async (preparing, scene) => {
      modest = await connectAnotherWallet(preparing, scene);
      greedy = await severalWallets(preparing, scene, CROWDED_CONNECTIONS);
    });
    if (FULL) cpSync(dataDir, quietDir, { recursive: true });
    service = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
    if (FULL) quiet = await spawnService({ DATA_DIR: quietDir, LOG_LEVEL: 'silent' });
    await others();
  }, 120_000);
  afterEach(() => crowds.splice(0).forEach((crowd) => crowd.leave()));
  afterAll(async () => {
    for (const started of [service, quiet]) {
      started?.child.kill('SIGKILL');
      await started?.ended;
    }
    for (const directory of [dataDir, quietDir]) rmSync(directory, { recursive: true, force: true });
  });

  const crowd = async (...[url, size, manner]: Parameters<typeof gather>): Promise<Crowd> => {
    const gathered = await gather(url, size, manner);
    crowds.push(gathered);
    return gathered;
  };
  const otherCall =
    (of: ServiceProcess) =>
    (index: number): Promise<Answer> =>
      index % 2 === 0
        ? createPayment(of, modest)
        : call(`${of.url}/v1/payment-requests/events?since=0&limit=10`, { headers: modest.headers });

  /** In a full-size run, measured alternately next to the crowd and at a service without one. */
  const others = (): Promise<readonly CallStats[]> =>
    measureInTurns(CALLS, [otherCall(service), ...(quiet === undefined ? [] : [otherCall(quiet)])]);
  /** Creates payments for the greedy connection meanwhile, so that all its pollers and readers get events. */
  const withNews = async (): Promise<readonly CallStats[]> => {
    let over = false;
    const writers = Promise.all(
      [service, ...(quiet === undefined ? [] : [quiet])].map(async (one) => {
        for (let made = 0; !over; made += 1) expect((await createPayment(one, inTurn(greedy, made))).status).toBe(201);
      }),
    );
    const noticed = await others().finally(() => (over = true));
    await writers;
    return noticed;
  };

  /** In a full-size run also not much slower; a small run shares its machine with others and measures nothing. */
  const expectServed = (beside: string, [noticed, usual]: readonly CallStats[]): void => {
    const { 200: read = 0, 201: written = 0 } = noticed?.statuses ?? {};
    const tooSlow = usual === undefined ? 0 : Math.max(0, (noticed?.slowerThan(2 * usual.p99) ?? 0) - CALLS / 100);
    process.stdout.write(`${JSON.stringify({ beside, noticed, usual })}\n`);
    const [promise, lost] = [`others are served beside ${beside}`, CALLS - read - written + tooSlow];
    figure({ promise, tried: CALLS, lost, doubled: 0, slowestMs: noticed?.longest ?? NaN });
    expect(noticed?.statuses).toEqual({ 200: CALLS / 2, 201: CALLS / 2 });
    expect(tooSlow).toBe(0);
  };
  /** The memory growth since `before` beyond the allowance. */
  const megabytesTooMany = (before: number): number => Math.max(0, memoryOf(service) - before - MAX_GROWTH_MB);
  const asking = (query: string, accept: string): readonly string[] =>
    greedy.map(({ headers }) => askingForEvents(headers, query, accept));
  const gauge = async (name: string, of = service): Promise<number> =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await call(`${of.url}/metrics`)).text)?.[1]);
  const connections = (most: number): Promise<number> =>
    eventually(
      () => gauge('svc_http_connections'),
      (count) => count <= most,
      `fewer than ${most} connections`,
    );

  it(`are refused in time: ${IDLE} silent ones, and slow headers and bodies of ${SLOW} each`, async () => {
    const memory = memoryOf(service);
    const bodies = await crowd(service.url, SLOW, { sends: SLOW_BODY, drips: ' ' });
    const headers = await crowd(service.url, SLOW, { sends: SLOW_HEADERS, drips: 'a' });
    const idle = await crowd(service.url, IDLE);
    const noticed = await others();
    await idle.until(() => idle.answeredWith('HTTP/1.1 408 ') === IDLE);
    await headers.until(() => headers.answeredWith('HTTP/1.1 408 ') === SLOW);
    if (FULL) await bodies.until(() => bodies.answeredWith('HTTP/1.1 408 ') === SLOW);
    else bodies.leave();
    await connections(CALLS);
    const doubled = megabytesTooMany(memory);
    figure({ promise: 'silent and slow callers are told so', tried: IDLE + 2 * SLOW, lost: 0, doubled });
    expect(doubled).toBe(0);
    expectServed('silent and slow callers', noticed);
  }, 180_000);

  it('cannot lock others out of a service with few file descriptors', async () => {
    const env = { DATA_DIR: join(dataDir, 'small'), LOG_LEVEL: 'silent' };
    const small = await spawnService(env, undefined, ['sh', '-c', 'ulimit -n 400; exec "$0" "$@"']);
    await crowd(small.url, 300);
    const noticed = await measureCalls(20, () => call(`${small.url}/v1/wallet-devices`, { raw: DEVICE }));
    expect(noticed.statuses).toEqual({ 201: 20 });
    expect(await gauge('svc_http_connections', small)).toBeLessThanOrEqual(200);
    expect(await gauge('svc_http_connections_closed_for_room', small)).toBeGreaterThan(100);
    small.child.kill('SIGTERM');
    expect(await small.ended).toBe(0);
  }, 120_000);

  it(`do not slow others down: ${WAITING} long polls and ${WAITING} streams that nobody reads`, async () => {
    const memory = memoryOf(service);
    for (let made = 0; made < BACKLOG; made += 50)
      for (const one of greedy) await Promise.all(Array.from({ length: 50 }, () => createPayment(service, one)));
    const polls = await crowd(service.url, WAITING, {
      sends: asking(`since=9999999&wait=${FULL ? 30 : 5}`, 'application/json'),
    });
    await crowd(service.url, WAITING, { sends: asking('since=0', 'text/event-stream'), reads: false });
    const [quietly, noisily] = [await others(), await withNews()];
    await polls.until(() => polls.answeredWith('HTTP/1.1 200 ') === WAITING);
    const doubled = megabytesTooMany(memory);
    figure({ promise: 'long polls beside streams that nobody reads', tried: 2 * WAITING, lost: 0, doubled });
    expect(doubled).toBe(0);
    expectServed('long polls and streams', quietly);
    expectServed('long polls and streams with news', noisily);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  }, 300_000);
});
