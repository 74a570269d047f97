import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type EventStore, type Position } from '../../src/platform/event-store/event-store.port';

export type Appended = Readonly<{ kind: 'appended'; stream: string; version: number; ids: readonly string[] }>;
export type Report = Appended | Readonly<{ kind: 'ready' }> | Readonly<{ kind: 'unavailable' }>;

export type WritingProcess = Readonly<{
  pid: number;
  reports: readonly Report[];
  /** How many reports of this kind it has made: a counter, so that a long run is not recounted at every line. */
  count(kind: Report['kind']): number;
  until(condition: () => boolean): Promise<void>;
  /** kill -9; resolves when the process is gone and everything it reported has been read. */
  kill(): Promise<void>;
}>;

export function startWriting(directory: string): WritingProcess {
  const program = [require.resolve('./register-swc'), join(__dirname, 'write-until-killed.ts')] as const;
  const child = spawn(process.execPath, ['-r', ...program, directory], { stdio: ['ignore', 'pipe', 'pipe'] });
  const complaints = text(child.stderr);
  const reports: Report[] = [];
  const counts: Record<Report['kind'], number> = { ready: 0, appended: 0, unavailable: 0 };
  const waiting = new Set<() => void>();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    // The kill may have cut off the last line, which then does not count as reported.
    if (!line.endsWith('}')) return;
    const latest = JSON.parse(line) as Report;
    reports.push(latest);
    counts[latest.kind] += 1;
    waiting.forEach((check) => check());
  });
  const gone = new Promise<void>((resolve) => {
    let left = 2;
    const one = (): void => void (--left === 0 && resolve());
    child.once('exit', one);
    lines.once('close', one);
  });
  if (child.pid === undefined) throw new Error('the writing process did not start');
  return {
    pid: child.pid,
    reports,
    count: (kind) => counts[kind],
    until: (condition) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!condition()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        void gone.then(async () => reject(new Error(`the writing process ended: ${await complaints}`)));
      }),
    kill: () => {
      child.kill('SIGKILL');
      return gone;
    },
  };
}

export const acknowledged = (process: WritingProcess): Appended[] =>
  process.reports.filter((report) => report.kind === 'appended');

/** Follows the log from where it left off, and tracks what every stream must look like. */
export class LogWitness {
  private position: Position = 0n;
  private readonly versions = new Map<string, number>();
  private readonly places = new Map<string, string>();

  /** Everything wrong with the log after its writer was killed; empty if nothing is. */
  async problems(store: EventStore, acknowledged: readonly Appended[]): Promise<string[]> {
    const problems: string[] = [];
    for (;;) {
      const page = await store.readAll(this.position, 1000);
      for (const { stream, version, metadata, position } of page) {
        const place = `${stream}@${version}`;
        if (version !== (this.versions.get(stream) ?? 0) + 1) problems.push(`${place} does not follow`);
        if (this.places.has(metadata.event_id)) problems.push(`${metadata.event_id} is there twice`);
        if (position !== this.position + 1n) problems.push(`position ${position} does not follow`);
        this.versions.set(stream, version);
        this.places.set(metadata.event_id, place);
        this.position = position;
      }
      if (page.length === 0) break;
    }
    for (const { stream, version, ids } of acknowledged) {
      const first = version - ids.length + 1;
      const missing = ids.filter((id, index) => this.places.get(id) !== `${stream}@${first + index}`);
      problems.push(...missing.map((id) => `${id} was acknowledged and is not at its place`));
    }
    return problems;
  }
}
