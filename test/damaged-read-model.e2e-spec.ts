import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built, type ServiceProcess, spawnService } from './support/child';
import { eventually } from './support/eventually';
import { call } from './support/http';

const PAGE = 4096;
const REBUILDS = 'the read model is unreadable: building it from the log';

describe('a read model that a start does not trust', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-damaged-'));
  const file = join(dataDir, 'read-model', 'data.mdb');
  const note = join(dataDir, 'read-model', 'note');
  let service: ServiceProcess;
  let device: Readonly<{ id: string; headers: Record<string, string> }>;

  const start = async (): Promise<void> => {
    service = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'info' });
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    service.child.kill(signal);
    await service.ended;
  };
  const read = (): ReturnType<typeof call> =>
    call(`${service.url}/v1/wallet-devices/${device.id}`, { headers: device.headers });
  const run = (program: string, ...words: readonly string[]) =>
    spawnSync(process.execPath, [...built(`${program}.js`), ...words], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir },
      encoding: 'utf8',
    });

  beforeAll(async () => {
    await start();
    const { body } = await call(`${service.url}/v1/wallet-devices`, { body: { name: 'Kitchen tablet' } });
    const id = body.device.device_id as string;
    device = { id, headers: { authorization: `Device ${id}:${body.device_token as string}` } };
  }, 60_000);
  afterAll(async () => {
    await end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Until it is complete, calls wait and then get 503: nobody is told that the device does not exist. */
  const expectWhole = async (): Promise<void> => {
    const answers: number[] = [];
    await eventually(
      async () => answers.push((await read()).status),
      () => answers.at(-1) === 200,
      'being read again',
    );
    expect(answers.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect((await read()).body.device.name).toBe('Kitchen tablet');
  };
  /** Log lines appear a moment after the event. */
  const expectRebuilt = async (): Promise<void> => {
    await expectWhole();
    await eventually(
      async () => service.output(),
      (output) => output.includes(REBUILDS),
      'the log to say so',
    );
  };

  it('is kept after kill -9 and after a stop', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await end(signal);
      await start();
      await expectWhole();
      expect(service.output()).not.toContain(REBUILDS);
    }
  }, 120_000);

  it.each([
    ['the machine went down', () => writeFileSync(note, 'open 00000000-0000-0000-0000-000000000000')],
    ['it ended the process that opened it', () => writeFileSync(note, 'opening')],
    ['its note is gone', () => rmSync(note)],
    ['it was cut', () => truncateSync(file, statSync(file).size - PAGE)],
  ])(
    'is rebuilt from the log if %s, whole before it is served',
    async (_, harm) => {
      await end('SIGKILL');
      harm();
      await start();
      await expectRebuilt();
      const made = await call(`${service.url}/v1/wallet-devices`, { body: { name: 'After it' } });
      expect(made.status).toBe(201);
    },
    120_000,
  );

  it('is rebuilt by the next start if it was cut in use, which ends the process', async () => {
    truncateSync(file, 2 * PAGE);
    const others = async (): Promise<unknown> => {
      for (;;) await call(`${service.url}/v1/wallet-devices`, { body: { name: 'Another' } });
    };
    await Promise.race([service.ended, others().catch(() => service.ended)]);
    await start();
    await expectRebuilt();
  }, 120_000);

  it('is not read by commands, which say in one line what to do', async () => {
    await end('SIGTERM');
    truncateSync(file, statSync(file).size - PAGE);
    for (const [program, command] of [
      ['app/reactions/main', 'status'],
      ['app/reactions/main', 'retry'],
      ['audit/cli/main', 'verify'],
    ] as const) {
      const { status, signal, stderr } = run(program, command);
      expect({ command, status, signal, stderr }).toEqual({
        command,
        status: 3,
        signal: null,
        stderr: expect.stringMatching(
          /^[^\n]*the read model in [^\n]* is unreadable \(it was cut to [^\n]+\): start the service anew, which rebuilds it from the log; nothing is lost\n$/,
        ),
      });
    }
    await start();
    await expectRebuilt();
  }, 120_000);

  it('is built anew by projections:rebuild though its pages are damaged, at the latest by the second run', async () => {
    await end('SIGTERM');
    const whole = readFileSync(file);
    // Everything except the two meta pages: a process that trusts the rest may crash in mid-call.
    const noise = Buffer.alloc(whole.length - 2 * PAGE, 0xa5);
    writeFileSync(file, Buffer.concat([whole.subarray(0, 2 * PAGE), noise]));
    const codes = [run('app/rebuild-projections').status, run('app/rebuild-projections').status];
    expect(codes.at(-1)).toBe(0);
    await start();
    await expectWhole();
    expect(service.output()).not.toContain(REBUILDS);
  }, 120_000);
});
