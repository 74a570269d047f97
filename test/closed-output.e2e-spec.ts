import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable } from 'node:stream';
import { built, spawnService } from './support/child';

const dist = join(__dirname, '..', 'dist', 'src');

describe('a command whose reader has seen enough, such as head', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'svc-closed-output-'));
    const service = await spawnService({ DATA_DIR: dataDir });
    service.child.kill('SIGTERM');
    await service.ended;
  }, 60_000);
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  type End = Readonly<{ code: number; complaint: string }>;
  const endOf = (program: string, ...args: string[]): Promise<End> => ending(false, program, ...args);

  async function ending(isSilent: boolean, program: string, ...args: string[]): Promise<End> {
    const child = spawn(process.execPath, [...built(program), ...args], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Only for a command that hangs.
      timeout: 60_000,
    });
    child.stdout.destroy();
    if (isSilent) child.stderr.destroy();
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    const [code] = (await once(child, 'close')) as [number];
    return { code, complaint };
  }

  it.each([
    ['app/secret/main.js', 'rotate'],
    ['app/secret/main.js', 'status'],
    ['app/reactions/main.js', 'status'],
    ['audit/cli/main.js', 'streams'],
  ])('has not failed: %s %s', async (program, command) => {
    const { code, complaint } = await endOf(program, command);
    expect([code, complaint.includes('EPIPE')]).toEqual([0, false]);
  });

  it.each([
    ['app/secret/main.js', ['rotate']],
    ['app/rebuild-projections.js', []],
  ])('has not failed if its remarks went the same way: %s %j', async (program, args) => {
    expect((await ending(true, program, ...args)).code).toBe(0);
  });

  /** Ends like the service, right after it has logged something. */
  const lastLines = (count: number): string => `
    const { createLogger } = require(${JSON.stringify(join(dist, 'platform/logging/logger.js'))});
    const logger = createLogger('info');
    process.stdout.write('ready\\n');
    process.stdin.resume().on('end', () => {
      for (let line = 0; line < ${count}; line += 1) logger.info('a line of the log');
      setImmediate(() => process.exit(3));
    });`;

  it.each([
    ['is gone', 1, (output: Readable) => void output.destroy()],
    ['has paused', 20_000, (output: Readable) => void output.pause()],
  ])('does not keep the service from ending if it %s', async (_how, lines, stopReading) => {
    const child = spawn(process.execPath, ['-e', lastLines(lines)], { stdio: 'pipe', timeout: 30_000 });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    await once(child.stdout, 'data');
    stopReading(child.stdout);
    child.stdin.end();
    expect([...(await once(child, 'exit')), complaint]).toEqual([3, null, '']);
  });

  it('still says with its exit code what it found', async () => {
    const forged = join(dataDir, 'forged.jsonl');
    writeFileSync(forged, '{"format":"svc.export.v1"}\n');
    expect((await endOf('audit/cli/main.js', 'check', forged)).code).toBe(1);
  });
});
