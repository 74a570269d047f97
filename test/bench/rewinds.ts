import { join } from 'node:path';
import { pause } from '../../src/kernel/pause';
import { mustBe } from '../support/connections';
import { call } from '../support/http';
import { createPayment, type PaymentScene } from '../support/payments';
import { prepareScene } from '../support/prepared-scene';
import { activeEndpoint } from '../support/webhook-receiver';
import { median, swcArguments, untilReady, withServer } from './load';
import { SERVICE, settings } from './payment-requests';
import { creating, post } from './posting';
import { inTempFolder } from './stores';

const RECEIVER = [...swcArguments, join(__dirname, 'servers', 'timed-receiver.ts')];
const HISTORY = 20_000;
const LIVE = 250;
const PAUSE_MS = 10;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);

/** Milliseconds from the start of a create until its delivery arrives. */
export type Delay = Readonly<{ p50: number; p95: number; resentPerSecond: number }>;
export type RewindCosts = Readonly<{ alone: Delay; beside: Delay }>;

type Scene = Readonly<{ url: string; hook: string; scene: PaymentScene; endpointId: string }>;

/** A steady stream of creates to one endpoint, with and without a concurrent rewind of that endpoint, in turns. */
export const rewindCosts = (delayMs: number): Promise<RewindCosts> =>
  withServer(RECEIVER, { DELAY_MS: String(delayMs) }, (hook) =>
    inTempFolder(async (folder) => {
      const scene = await prepareScene(folder);
      const env = { ...settings(folder), ALLOW_PRIVATE_NETWORKS: 'true' };
      return withServer(SERVICE, env, async (url, child) => {
        await untilReady(url);
        await post(creating(url, scene, child), HISTORY);
        const { endpointId } = await activeEndpoint({ url }, scene.merchant, `${hook}/`);
        const around = { url, hook, scene, endpointId };
        await live(around);
        const alone: Delay[] = [];
        const beside: Delay[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          alone.push(await live(around));
          beside.push(await besideRewind(around));
        }
        return { alone: middle(alone), beside: middle(beside) };
      });
    }),
  );

async function besideRewind(around: Scene): Promise<Delay> {
  const { url, scene, endpointId } = around;
  const { headers } = scene.merchant;
  const rewinds = `${url}/v1/webhook-endpoints/${endpointId}`;
  const { body } = mustBe(
    202,
    await call(`${rewinds}/rewind`, { headers, body: { from_cursor: 0, to_cursor: HISTORY } }),
  );
  await pause(300);
  const found = await live(around);
  const id = body.rewind.rewind_id as string;
  mustBe(200, await call(`${rewinds}/rewinds/${id}`, { method: 'DELETE', headers, body: {} }));
  await pause(300);
  return found;
}

async function live({ url, hook, scene }: Scene): Promise<Delay> {
  const before = await arrived(hook);
  const began = performance.now();
  const created = new Map<string, number>();
  for (let index = 0; index < LIVE; index += 1) {
    const asked = now();
    const answer = mustBe(201, await createPayment({ url }, scene));
    created.set(answer.body.payment_request.request_id as string, asked);
    await pause(PAUSE_MS);
  }
  const delays: number[] = [];
  let posts = before.posts;
  while (delays.length < LIVE) {
    await pause(50);
    const news = await arrived(hook);
    posts = news.posts;
    for (const [request, at] of news.arrivals) if (created.has(request)) delays.push(at - (created.get(request) ?? 0));
  }
  delays.sort((one, other) => one - other);
  const at = (share: number): number => delays[Math.floor(delays.length * share)] ?? 0;
  const resent = posts - before.posts - LIVE;
  return { p50: at(0.5), p95: at(0.95), resentPerSecond: (1000 * resent) / (performance.now() - began) };
}

const arrived = async (hook: string) =>
  (await (await fetch(hook)).json()) as Readonly<{ arrivals: [string, number][]; posts: number }>;

const now = (): number => Number(process.hrtime.bigint()) / 1e6;

const middle = (found: readonly Delay[]): Delay => ({
  p50: median(found.map(({ p50 }) => p50)),
  p95: median(found.map(({ p95 }) => p95)),
  resentPerSecond: median(found.map(({ resentPerSecond }) => resentPerSecond)),
});
