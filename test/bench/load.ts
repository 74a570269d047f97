import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import autocannon from 'autocannon';

export const CONNECTIONS = 64;
const WARM_UP_SECONDS = 3;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 12);

export type Load = Readonly<{ perSecond: number; p50: number; p99: number }>;

const root = join(__dirname, '..', '..');
export const swcArguments = ['-r', join(root, 'test/support/register-swc.js')];

/** A server in a process of its own, so that load and service share nothing but the machine. */
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

export async function load(url: string, options: Partial<autocannon.Options>): Promise<Load> {
  await autocannon({ url, connections: CONNECTIONS, duration: WARM_UP_SECONDS, ...options });
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS, ...options });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} bad answers, ${result.errors} errors`);
  return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
