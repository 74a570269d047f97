import 'reflect-metadata';
import { seededRandom, seedFrom } from '../support/seeded';
import { checkAgainstService } from './check';
import { deployments, ENGINE_COSTS } from './deployments';
import { type Costs, type Deployment, type Prediction, simulate } from './model';

const SECONDS = 40;
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

function row({ name, callsPerSecond }: Deployment, found: Prediction): string {
  // What waits for one more second than it should will wait for longer in the next.
  const isEnough = found.unprojected < callsPerSecond && found.answered > 0.95 * callsPerSecond * SECONDS;
  const figures = isEnough
    ? [found.p50.toFixed(0), found.p99.toFixed(0), found.deliveryP99.toFixed(0), `${found.mostUnsent}`]
    : ['falls behind', '', '', ''];
  const busy = [percent(found.apiBusy), found.usualBatch.toFixed(0), percent(found.sendingBusy)];
  const recovered = found.recoveredAfter === undefined ? 'never' : `${(found.recoveredAfter / 1_000).toFixed(1)} s`;
  return `| ${[name, ...figures, ...busy, recovered].join(' | ')} |`;
}

function predictions(costs: Costs): void {
  const seed = seedFrom('SIMULATE_SEED') ?? 1;
  write(`${SECONDS} seconds of each, with a leader that dies in the middle; seed ${seed}\n`);
  write(
    '| Payments | answered p50 ms | p99 ms | told p99 ms | most unsent | api busy | events in a batch | sending busy | caught up after |',
  );
  write('|---|---|---|---|---|---|---|---|---|');
  for (const deployment of deployments(costs))
    write(row(deployment, simulate(deployment, SECONDS, seededRandom(seed))));
}

/** `npm run simulate`, with costs of your own, or `check` for predictions beside a real run on this machine. */
async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args[0] === 'check') await checkAgainstService(write);
  else predictions(costsFrom(args));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
