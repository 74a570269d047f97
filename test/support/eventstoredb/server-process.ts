import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type EventStoreDbProcess = Readonly<{
  url: string;
  /** Actually stopped by the kernel, with SIGSTOP. */
  freeze(): void;
  thaw(): void;
  /** Its log is in memory: what was written is gone. */
  stop(): Promise<void>;
}>;

/** The test server in its own process, for tests with several processes. */
export async function spawnEventStoreDb(): Promise<EventStoreDbProcess> {
  const child = spawn(process.execPath, [join(__dirname, 'run-ts.mjs'), join(__dirname, 'main.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error('the test server ended before it listened'))),
  ])) as [Buffer];
  return {
    url: line.toString('utf8').trim(),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
