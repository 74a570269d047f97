import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, type ReportLine } from '../support/figures';
import { type Row, type Run } from './rows';
import { type Outcome } from './verdict';

const root = join(__dirname, '..', '..');
const POLL_MS = 250;
const LAST_LINES = 60;

type Follow = (share: number) => void;

/** Runs all programs of a row, one after another; `follow` receives the share that is done. */
export async function runRow(row: Row, follow: Follow, complain: (text: string) => void): Promise<Outcome> {
  const started = Date.now();
  const figures: Figure[] = [];
  const failed: string[] = [];
  for (const [index, run] of row.runs.entries()) {
    if (!existsSync(join(root, run.file))) {
      failed.push(`${run.file} IS NOT THERE`);
      continue;
    }
    const result = await runOne(run, (share) => follow((index + share) / row.runs.length));
    figures.push(...result.figures);
    if (result.code === 0) continue;
    failed.push(`${run.file} FAILED`);
    complain(
      `\n${row.name}: ${run.file} ended with ${result.code}\n${result.output.split('\n').slice(-LAST_LINES).join('\n')}\n`,
    );
  }
  return { figures, failed, seconds: Math.round((Date.now() - started) / 1000) };
}

async function runOne(
  run: Run,
  follow: Follow,
): Promise<Readonly<{ code: number | null; output: string; figures: readonly Figure[] }>> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-chaos-'));
  const report = join(folder, 'report.jsonl');
  writeFileSync(report, '');
  const read = (): ReportLine[] =>
    readFileSync(report, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as ReportLine);
  const polling = setInterval(() => {
    const last = read().findLast((line) => 'done' in line);
    if (last !== undefined) follow(last.done / last.of);
  }, POLL_MS);
  try {
    // The caller's settings win: a size for a smaller run, SEED to repeat one.
    const env = { TEST_PAIRS: 'all', ...run.env, ...process.env, CHAOS_REPORT: report };
    const child = spawn(process.execPath, argumentsOf(run), { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
    return { code, output, figures: read().flatMap((line) => ('figure' in line ? [line.figure] : [])) };
  } finally {
    clearInterval(polling);
    rmSync(folder, { recursive: true, force: true });
  }
}

function argumentsOf({ file, only, args = [] }: Run): string[] {
  if (!/spec\.ts$/.test(file)) return ['-r', join(root, 'test/support/register-swc.js'), file, ...args];
  const jest = [require.resolve('jest/bin/jest'), '--runInBand', '--runTestsByPath', file];
  return only === undefined ? jest : [...jest, '--testNamePattern', only];
}
