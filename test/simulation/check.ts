import { Agent, request } from 'node:http';
import { SERVICE, settings } from '../bench/payment-requests';
import { untilReady, withServer } from '../bench/load';
import { inTempFolder } from '../bench/stores';
import { pause } from '../../src/kernel/pause';
import { paymentInput, type PaymentScene } from '../support/payments';
import { prepareScene } from '../support/prepared-scene';
import { type Random, seededRandom } from '../support/seeded';
import { type Costs, nextArrival, simulate } from './model';

const SECONDS = 20;
const SHARES = [0.25, 0.5, 0.75];
const WARM_UP = 1_500;

type Measured = Readonly<{ p50: number; p99: number; perSecond: number }>;
type Ask = () => Promise<number>;

/**
 * The default pair under open-loop load: callers arrive at random, whether or not earlier ones were answered. The model
 * is given the service's throughput with 64 callers that wait for their responses, and the latency of a single one; its
 * predictions for everything in between are then measured.
 */
export const checkAgainstService = (write: (line: string) => void): Promise<void> =>
  inTempFolder(async (folder) => {
    const scene = await prepareScene(folder);
    await withServer(SERVICE, settings(folder), async (url) => {
      await untilReady(url);
      const ask = asking(url, scene);
      await closed(ask, 64, WARM_UP);
      const [alone, many] = [await closed(ask, 1, 500), await closed(ask, 64, 4_000)];
      // All of its work is in one queue: with enough callers it processes one job after another without a pause.
      const create = 1_000 / many.perSecond;
      const rest = Math.max(0.1, alone.p50 - create);
      const costs: Costs = {
        create,
        append: rest / 2,
        appendsAtOnce: 1_000,
        batch: rest / 2,
        project: 0,
        send: 0,
        receiver: 0,
      };
      write(
        `told to the model: ${create.toFixed(2)} ms of work for a create, ${rest.toFixed(2)} ms of waiting for the disk\n`,
      );
      write('| Load | creates/s | p50 predicted | measured | p99 predicted | measured |');
      write('|---|---|---|---|---|---|');
      for (const share of SHARES) {
        const callsPerSecond = share * many.perSecond;
        const shape = { api: 1, apiProcessors: 1, workers: 1, workerProcessors: 1, endpoints: 1, window: 64 };
        const predicted = simulate({ name: '', callsPerSecond, ...shape, costs }, SECONDS, seededRandom(1));
        const measured = await open(ask, callsPerSecond, seededRandom(2));
        const figures = [predicted.p50, measured.p50, predicted.p99, measured.p99].map((ms) => ms.toFixed(1));
        write(`| ${share * 100} % of capacity | ${callsPerSecond.toFixed(0)} | ${figures.join(' | ')} |`);
      }
    });
  });

async function closed(ask: Ask, callers: number, times: number): Promise<Measured> {
  const begun = performance.now();
  const took: number[] = [];
  let left = times;
  const caller = async (): Promise<void> => {
    while (left-- > 0) took.push(await ask());
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return summary(took, (performance.now() - begun) / 1_000);
}

async function open(ask: Ask, perSecond: number, random: Random): Promise<Measured> {
  const took: number[] = [];
  const asked: Promise<unknown>[] = [];
  const begun = performance.now();
  let next = 0;
  while (next < SECONDS * 1_000) {
    const early = next - (performance.now() - begun);
    if (early > 1) await pause(early);
    asked.push(ask().then((ms) => took.push(ms)));
    next += nextArrival(random, perSecond);
  }
  await Promise.all(asked);
  return summary(took, SECONDS);
}

function summary(took: number[], seconds: number): Measured {
  took.sort((one, other) => one - other);
  const at = (share: number): number => took[Math.floor(took.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), perSecond: took.length / seconds };
}

function asking(url: string, scene: PaymentScene): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const body = JSON.stringify(paymentInput(scene));
  const headers = { ...scene.headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return () =>
    new Promise((resolve, reject) => {
      const begun = performance.now();
      const outgoing = request(`${url}/v1/payment-requests`, { agent, method: 'POST', headers }, (answer) => {
        if (answer.statusCode !== 201) reject(new Error(`the service answered ${answer.statusCode}`));
        answer.resume().on('end', () => resolve(performance.now() - begun));
      });
      outgoing.on('error', reject).end(body);
    });
}
