import { performance } from 'node:perf_hooks';
import { type Answer, call } from '../support/http';
import { type Random } from '../support/seeded';
import { type Column, columnsOf } from './credentials';
import { expectedAt } from './expected';
import { aboutNothing, bytesOf, rows, send } from './matrix';
import { type World } from './world';

export const TOLERANCE_MS = 2;

/** Two kinds of calls that must look the same from outside, in bytes and in time. */
export type Comparison = Readonly<{
  what: string;
  rounds: number;
  /** Milliseconds. */
  medians: readonly [number, number];
  /** How much the medians of two halves of the same calls differ: the part of a difference that is machine noise. */
  noise: number;
  sameBytes: boolean;
}>;

type Pair = Readonly<{ what: string; calls: readonly [() => Promise<Answer>, () => Promise<Answer>] }>;

/** Another tenant's id against an unknown one on every route that takes ids; a known address against an unknown one. */
export async function compareTimes(
  world: World,
  random: Random,
  rounds: number,
  told: (comparison: Comparison) => void = () => undefined,
): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const pair of [addresses(world), ...(await strangersCalls(world))]) {
    const comparison = await compare(pair, random, rounds);
    told(comparison);
    comparisons.push(comparison);
  }
  return comparisons;
}

async function strangersCalls(world: World): Promise<readonly Pair[]> {
  const columns = await columnsOf(world);
  const pairs: Pair[] = [];
  for (const [route, row] of Object.entries(rows)) {
    const isRefused = (column: Column): boolean =>
      column.standing === 'stranger' && expectedAt(row, column, route) === 'resource_not_found';
    const column = columns.find(isRefused);
    if (column === undefined || !route.includes('{')) continue;
    const parts = (await row.parts?.(world)) ?? {};
    const about = (of: typeof parts) => () => send(world, route, { ...column, parts: of, requestId: 'walls' });
    // A new id each time, so that no earlier lookup can be cached.
    pairs.push({ what: route, calls: [about(parts), () => about(aboutNothing(parts))()] });
  }
  return pairs;
}

function addresses({ service, us }: World): Pair {
  const register = (email: string) =>
    call(`${service.url}/v1/merchant-accounts/registrations`, {
      headers: { 'x-request-id': 'walls' },
      body: { email },
    });
  let strangers = 0;
  return {
    what: 'known and unknown address',
    calls: [() => register(us.merchant.email), () => register(`unknown-${(strangers += 1)}@example.test`)],
  };
}

/** The two take turns in random order, so that other load on the machine affects both alike. */
async function compare({ what, calls }: Pair, random: Random, rounds: number): Promise<Comparison> {
  const times: [number[], number[]] = [[], []];
  const seen = new Set<string>();
  while (times[0].length < rounds || times[1].length < rounds) {
    const first = random.below(2);
    for (const which of [first, 1 - first] as (0 | 1)[]) {
      const begun = performance.now();
      const answer = await calls[which]();
      times[which].push(performance.now() - begun);
      seen.add(bytesOf(answer));
    }
  }
  const noise = Math.max(...times.map(noiseOf));
  return { what, rounds, medians: [median(times[0]), median(times[1])], noise, sameBytes: seen.size === 1 };
}

/** Compares every other call with the rest. */
function noiseOf(times: readonly number[]): number {
  const halves = [0, 1].map((rest) => median(times.filter((_, index) => index % 2 === rest)));
  return Math.abs((halves[0] as number) - (halves[1] as number));
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
