import { pause } from '../../src/kernel/pause';
import { prepareScene } from '../support/prepared-scene';
import { activeEndpoint } from '../support/webhook-receiver';
import { type Floors, withFloors } from './floors';
import { median, untilReady, withServer } from './load';
import { SERVICE, settings } from './payment-requests';
import { type Aim, cpuMs, creating, post, posting, program } from './posting';
import { inTempFolder } from './stores';

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 5_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const WARM_UP = Math.min(1_000, EVENTS);

export type Pipeline = Readonly<{
  /** Milliseconds of processor time, over all threads of the serving process. */
  echoCpu: number;
  createCpu: number;
  deliveredCpu: number;
  floors: Floors;
  echoed: number;
  created: number;
  published: number;
  deliveredWhilePublishing: number;
  lagMs: number;
  drained: number;
  p99Alone: number;
  p99BesideDrain: number;
  readyMs: number;
  /** Of the start before, which may have been the first of this build: it compiles what the later ones find. */
  firstReadyMs: number;
}>;

/** One endpoint, 16 creators, the receiver in its own process, the echo in the same run; the median of the rounds. */
export const pipeline = (): Promise<Pipeline> =>
  withServer(program('bare-nest.ts'), {}, (nest, echo) =>
    withServer(program('webhook-receiver.ts'), {}, (hook) =>
      withFloors((floorsOf) =>
        inTempFolder(async (folder) => {
          const scene = await prepareScene(folder);
          const env = { ...settings(folder), ALLOW_PRIVATE_NETWORKS: 'true' };
          const firstReadyMs = await startOnce(env);
          const begun = performance.now();
          return withServer(SERVICE, env, async (url, child) => {
            await untilReady(url);
            const readyMs = performance.now() - begun;
            const aims = { echo: posting(`${nest}/payment`, echo), create: creating(url, scene, child) };
            for (const aim of Object.values(aims)) await post(aim, WARM_UP);
            await floorsOf(WARM_UP);
            const alone = await rounds(async () => ({
              echo: await post(aims.echo, EVENTS),
              create: await post(aims.create, EVENTS),
              floors: await floorsOf(EVENTS),
            }));
            await activeEndpoint({ url }, scene.merchant, `${hook}/`);
            await delivering(aims.create, hook, WARM_UP);
            const told = await rounds(() => delivering(aims.create, hook, EVENTS));
            const drain = await rounds(() => draining(aims.create, hook, EVENTS));
            return {
              echoCpu: alone.of(({ echo: { cpu } }) => cpu),
              createCpu: alone.of(({ create: { cpu } }) => cpu),
              floors: {
                http: alone.of(({ floors }) => floors.http),
                create: alone.of(({ floors }) => floors.create),
                sent: alone.of(({ floors }) => floors.sent),
                createdPerSecond: alone.of(({ floors }) => floors.createdPerSecond),
              },
              echoed: alone.of(({ echo: { perSecond } }) => perSecond),
              created: alone.of(({ create: { perSecond } }) => perSecond),
              p99Alone: alone.of(({ create: { p99 } }) => p99),
              deliveredCpu: told.of(({ cpu }) => cpu),
              published: told.of(({ published }) => published),
              deliveredWhilePublishing: told.of(({ whilePublishing }) => whilePublishing),
              lagMs: told.of(({ lagMs }) => lagMs),
              drained: drain.of(({ drained }) => drained),
              p99BesideDrain: drain.of(({ p99 }) => p99),
              readyMs,
              firstReadyMs,
            };
          });
        }),
      ),
    ),
  );

function startOnce(env: Readonly<Record<string, string>>): Promise<number> {
  const begun = performance.now();
  return withServer(SERVICE, env, async (url) => {
    await untilReady(url);
    return performance.now() - begun;
  });
}

async function rounds<T>(work: () => Promise<T>) {
  const found: T[] = [];
  for (let round = 0; round < ROUNDS; round += 1) found.push(await work());
  return { of: (value: (one: T) => number): number => median(found.map(value)) };
}

/** Creates, and waits until the receiver has everything. */
async function delivering(aim: Aim, hook: string, events: number) {
  const before = await count(hook);
  const cpu = cpuMs(aim.child);
  const { perSecond: published, seconds } = await post(aim, events);
  const atEnd = (await count(hook)) - before;
  const ended = performance.now();
  while ((await count(hook)) - before < events) await pause(5);
  const lagMs = performance.now() - ended;
  // The last deliveries have yet to be recorded.
  await pause(200);
  return { published, whilePublishing: atEnd / seconds, lagMs, cpu: (cpuMs(aim.child) - cpu) / events };
}

/** Creates while the receiver holds its responses, then drains the backlog next to further creates. */
async function draining(aim: Aim, hook: string, events: number) {
  const before = await count(hook);
  await fetch(`${hook}/hold`);
  await post(aim, events);
  const started = performance.now();
  await fetch(`${hook}/go`);
  let ended = 0;
  const beside = post(aim, Math.ceil(events / 10), 1);
  while ((await count(hook)) - before < events) await pause(5);
  ended = performance.now();
  const { p99 } = await beside;
  while ((await count(hook)) - before < events + Math.ceil(events / 10)) await pause(5);
  return { drained: events / ((ended - started) / 1000), p99 };
}

const count = async (hook: string): Promise<number> => Number(await (await fetch(hook)).text());
