import { once } from 'node:events';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from './child';

/** What the parent process may ask a clocked service about one webhook endpoint. */
export type Query = Readonly<{ endpointId: string }> &
  Readonly<{ kind: 'look' } | { kind: 'skip'; altogether: number } | { kind: 'switch-on' }>;

export type QueryResult = Readonly<{
  now: string;
  active: boolean;
  /** When the first and the last of its lanes are due; null if nothing is waiting. */
  firstDue: string | null;
  lastDue: string | null;
  /** Whether a delivery was given up after its last attempt. */
  anyFailed: boolean;
}>;

/** A service in its own process that can be killed and restarted, on a clock that continues where it was. */
export class ClockedProcess {
  kills = 0;
  private skipped = 0;
  private running: Promise<ServiceProcess>;

  constructor(
    private readonly endpointId: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.running = this.start();
  }

  /** The running process; while it is down, the next one. */
  get service(): Promise<ServiceProcess> {
    return this.running;
  }

  async ask(query: Readonly<{ kind: 'look' | 'switch-on' }>): Promise<QueryResult> {
    return this.query({ ...query, endpointId: this.endpointId });
  }

  async skip(milliseconds: number): Promise<void> {
    this.skipped += milliseconds;
    await this.query({ kind: 'skip', altogether: this.skipped, endpointId: this.endpointId });
  }

  /** kill -9, followed by a new process. */
  kill(): void {
    const killed = this.running;
    this.kills += 1;
    this.running = killed.then(async ({ child, ended }) => {
      child.kill('SIGKILL');
      await ended;
      return this.start();
    });
  }

  async end(): Promise<void> {
    const { child, ended } = await this.running;
    child.kill('SIGKILL');
    await ended;
  }

  private start(): Promise<ServiceProcess> {
    const clock = { CLOCK_SKIPPED_MS: String(this.skipped) };
    return spawnService({ ...this.env, ...clock }, join('test', 'support', 'clocked-service.ts'));
  }

  /** A killed process does not answer; the next one is asked instead. */
  private async query(query: Query): Promise<QueryResult> {
    for (;;) {
      const { child, ended } = await this.running;
      const reply = once(child, 'message').then(([message]) => message as QueryResult);
      child.send(query, () => undefined);
      const answer = await Promise.race([reply, ended.then(() => undefined)]);
      if (answer !== undefined) return answer;
    }
  }
}
