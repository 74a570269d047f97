import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_UNPROVEN } from '../src/platform/read-model/embedded/proving';
import { built, type ServiceProcess, spawnService } from './support/child';
import { eventually } from './support/eventually';
import { call } from './support/http';

const PAGE = 4096;

describe('a read model whose pages were changed on disk', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-damaged-'));
  const file = join(dataDir, 'read-model', 'data.mdb');
  let service: ServiceProcess;
  let device: Readonly<{ id: string; headers: Record<string, string> }>;

  const start = async (): Promise<void> => {
    service = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'info' });
  };
  const stop = async (): Promise<void> => {
    service.child.kill('SIGTERM');
    await service.ended;
  };
  const read = (): ReturnType<typeof call> =>
    call(`${service.url}/v1/wallet-devices/${device.id}`, { headers: device.headers });

  beforeAll(async () => {
    await start();
    const { body } = await call(`${service.url}/v1/wallet-devices`, { body: { name: 'Kitchen tablet' } });
    const id = body.device.device_id as string;
    device = { id, headers: { authorization: `Device ${id}:${body.device_token as string}` } };
  }, 60_000);
  afterAll(async () => {
    await stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Changes one letter of a name in place, as a failing disk would: the JSON around it stays valid. */
  const changeOnDisk = (): void => {
    const bytes = readFileSync(file);
    const handle = openSync(file, 'r+');
    for (let at = bytes.indexOf('Kitchen tablet'); at !== -1; at = bytes.indexOf('Kitchen tablet', at + 1))
      writeSync(handle, 'L', at);
    closeSync(handle);
  };
  /** Log lines appear a moment after the event. */
  const untilLogged = (text: string): Promise<unknown> =>
    eventually(
      async () => service.output(),
      (output) => output.includes(text),
      `the log to say: ${text}`,
    );
  const untilRead = (): Promise<unknown> =>
    eventually(
      async () => (await read().catch(() => undefined))?.status,
      (status) => status === 200,
      'being read again',
    );

  it('is rebuilt by a start that finds the damage, before it answers any call', async () => {
    expect((await read()).body.device.name).toBe('Kitchen tablet');
    await stop();
    changeOnDisk();
    await start();
    await untilRead();
    expect((await read()).body.device.name).toBe('Kitchen tablet');
    await untilLogged('the read model is unreadable: building it from the log');
  }, 120_000);

  it('is refused with 503 if the damage is met in use, and rebuilt by the same process', async () => {
    changeOnDisk();
    const refused = await read();
    expect([refused.status, refused.body.error.code]).toEqual([503, 'store_unavailable']);
    await untilRead();
    expect((await read()).body.device.name).toBe('Kitchen tablet');
    await eventually(
      async () => (await call(`${service.url}/health/ready`)).status,
      (status) => status === 200,
      'being ready again',
    );
    expect(service.child.exitCode).toBeNull();
    await untilLogged('the read model is damaged: restarting and rebuilding it from the log');
    const made = await call(`${service.url}/v1/wallet-devices`, { body: { name: 'After it' } });
    expect(made.status).toBe(201);
  }, 120_000);

  it('is checked after an unclean exit, and kept if it is intact', async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    await start();
    await untilRead();
    expect(service.output()).not.toContain('building it from the log');
    await stop();
    await start();
    expect((await read()).body.device.name).toBe('Kitchen tablet');
  }, 120_000);

  it('is rebuilt if several processes in a row ended soon after opening it', async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    // As if all but the last of them had ended already; the start below counts itself.
    const note = join(dataDir, 'read-model', 'left');
    const left = JSON.parse(readFileSync(note, 'utf8')) as object;
    expect(left).toHaveProperty('unproven');
    writeFileSync(note, JSON.stringify({ ...left, unproven: MAX_UNPROVEN - 1 }));
    await start();
    await untilRead();
    expect(service.output()).not.toContain('building it from the log');
    service.child.kill('SIGKILL');
    await service.ended;
    await start();
    await untilRead();
    await untilLogged('processes in a row have ended soon after they opened it');
  }, 120_000);

  it('is reported as damaged by the commands that read it, which say how to rebuild it', async () => {
    await stop();
    const whole = readFileSync(file);
    // Everything except the two meta pages: a process that trusts the rest crashes in mid-call.
    const noise = Buffer.alloc(whole.length - 2 * PAGE, 0xa5);
    writeFileSync(file, Buffer.concat([whole.subarray(0, 2 * PAGE), noise]));
    for (const [program, command] of [
      ['app/reactions', 'status'],
      ['app/reactions', 'retry'],
      ['audit/cli', 'verify'],
    ] as const) {
      const { status, signal, stderr } = spawnSync(process.execPath, [...built(`${program}/main.js`), command], {
        env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir },
        encoding: 'utf8',
      });
      expect({ command, status, signal, stderr }).toEqual({
        command,
        status: 3,
        signal: null,
        stderr: expect.stringMatching(
          /the read model in .* is damaged \(.+\): stop the service, delete .* rebuilds it from the log/,
        ),
      });
    }
    await start();
    await untilRead();
    expect((await read()).body.device.name).toBe('Kitchen tablet');
  }, 120_000);
});
