import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { pause } from '../../src/kernel/pause';
import { freePort } from '../support/free-port';

export const CONNECTIONS = 64;
const WARM_UP_SECONDS = 3;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 12);
const ROUNDS = 5;
const LOOP_MS = 4_000;

export type Load = Readonly<{ perSecond: number; p50: number; p99: number }>;

const root = join(__dirname, '..', '..');
export const swcArguments = ['-r', join(root, 'test/support/register-swc.js')];

/** A server in its own process, so that load generator and service share only the machine. */
export async function withServer<T>(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  work: (url: string, child: ChildProcess) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
      child.stdout?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('listens')) resolve();
      });
    });
    return await work(`http://127.0.0.1:${port}`, child);
  } finally {
    child.removeAllListeners('exit');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
}

export type Target = Readonly<{ url: string; options: Partial<autocannon.Options> }>;

/** Warms up each target, then measures them in turns in several short rounds; the median round counts. */
export async function inTurns<Name extends string>(
  targets: Readonly<Record<Name, Target>>,
): Promise<Record<Name, Load>> {
  const names = Object.keys(targets) as Name[];
  const rounds = new Map<Name, Load[]>(names.map((name) => [name, []]));
  for (const name of names) await load(targets[name], WARM_UP_SECONDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) rounds.get(name)?.push(await load(targets[name], Math.max(1, SECONDS / ROUNDS)));
  }
  return Object.fromEntries(names.map((name) => [name, middle(rounds.get(name) ?? [])])) as Record<Name, Load>;
}

async function load({ url, options }: Target, seconds: number): Promise<Load> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, ...options });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} bad answers, ${result.errors} errors`);
  return { perSecond: result.requests.total / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}

/** Runs about as long as a round of the service: on a busy machine a short run may hit a lucky moment. */
export async function repeated(work: () => Promise<void>, atOnce: number): Promise<number> {
  const started = performance.now();
  let done = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() - started < LOOP_MS) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return done / ((performance.now() - started) / 1000);
}

function middle(rounds: readonly Load[]): Load {
  const of = (value: (load: Load) => number): number => median(rounds.map(value));
  return { perSecond: of(({ perSecond }) => perSecond), p50: of(({ p50 }) => p50), p99: of(({ p99 }) => p99) };
}

export const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;

export function residentMegabytes({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

export async function untilReady(url: string): Promise<void> {
  while (!(await fetch(`${url}/health/ready`).catch(() => undefined))?.ok) await pause(5);
}
