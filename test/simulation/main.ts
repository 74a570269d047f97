import 'reflect-metadata';
import { seededRandom, seedFrom } from '../support/seeded';
import { checkAgainstService } from './check';
import { deployments, ENGINE_COSTS } from './deployments';
import { type Costs, type Deployment, simulate } from './model';

const SECONDS = 60;
const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** `create=0.9 append=4`: another machine's figures. */
function costsFrom(args: readonly string[]): Costs {
  const given = args.map((argument) => /^([a-zA-Z]+)=(\d+(?:\.\d+)?)$/.exec(argument));
  const unknown = args.filter((_, index) => !((given[index]?.[1] ?? '') in ENGINE_COSTS));
  if (unknown.length > 0) {
    throw new Error(
      `not a cost: ${unknown.join(', ')}. There are ${Object.keys(ENGINE_COSTS).join(', ')}, in milliseconds`,
    );
  }
  return { ...ENGINE_COSTS, ...Object.fromEntries(given.map((one) => [one?.[1], Number(one?.[2])])) };
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** Normal operation, and what callers experience when the leader dies. */
function row(deployment: Deployment, seed: number): string {
  const { name, callsPerSecond, leaderDiesAt: _, ...rest } = deployment;
  const calm = simulate({ name, callsPerSecond, ...rest }, SECONDS, seededRandom(seed));
  // A backlog of more than a second's calls keeps growing.
  const isEnough = calm.unprojected < callsPerSecond && calm.answered > 0.95 * callsPerSecond * SECONDS;
  const busy = [percent(calm.apiBusy), calm.usualBatch.toFixed(0), percent(calm.sendingBusy)];
  if (!isEnough) return `| ${[name, 'falls behind', '', '', ...busy, '', ''].join(' | ')} |`;
  const died = simulate(deployment, SECONDS, seededRandom(seed));
  const caughtUp = died.recoveredAfter === undefined ? 'never' : seconds(died.recoveredAfter);
  const times = [calm.p50, calm.p99, calm.deliveryP99].map((ms) => ms.toFixed(0));
  return `| ${[name, ...times, ...busy, seconds(died.longest), caughtUp].join(' | ')} |`;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function predictions(costs: Costs): void {
  const seed = seedFrom('SIMULATE_SEED') ?? 1;
  write(`${SECONDS} seconds of each; seed ${seed}\n`);
  write(
    '| Payments | answered p50 ms | p99 ms | webhook p99 ms | api busy | events in a batch | sending busy | leader dies: longest wait | caught up after |',
  );
  write('|---|---|---|---|---|---|---|---|---|');
  for (const deployment of deployments(costs)) write(row(deployment, seed));
}

/** `npm run simulate`, optionally with your own costs; `check` compares predictions with a real run on this machine. */
async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args[0] === 'check') await checkAgainstService(write);
  else predictions(costsFrom(args));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
