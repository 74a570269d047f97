import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTables } from '../src/platform/event-store/embedded/log-tables';
import { built, type ServiceProcess, spawnService } from './support/child';
import { eventually } from './support/eventually';
import { call } from './support/http';

/** More than a start looks at, at the end of the log. */
const DEVICES = 60;
const NAMED = /events\.mdb: event \d+ of the log does not match its checksum; restore a backup/;

describe('a log in which one record was changed on disk', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-damaged-log-'));
  const file = join(dataDir, 'events', 'events.mdb');
  const devices: Readonly<{ id: string; headers: Record<string, string> }>[] = [];
  let service: ServiceProcess;

  const start = async (): Promise<void> => {
    service = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'info' });
  };
  const end = async (): Promise<void> => {
    service.child.kill('SIGTERM');
    await service.ended;
  };
  /** Decides on the device's own events. */
  const rotate = (at: number): ReturnType<typeof call> =>
    call(`${service.url}/v1/wallet-devices/${devices[at]?.id}/rotate-token`, {
      body: {},
      headers: devices[at]?.headers ?? {},
    });
  const verify = () =>
    spawnSync(process.execPath, [...built('audit/cli/main.js'), 'verify'], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir },
      encoding: 'utf8',
    });

  beforeAll(async () => {
    await start();
    for (let at = 0; at < DEVICES; at += 1) {
      const { body } = await call(`${service.url}/v1/wallet-devices`, { body: { name: `Tablet number ${at};` } });
      const id = body.device.device_id as string;
      devices.push({ id, headers: { authorization: `Device ${id}:${body.device_token as string}` } });
    }
    await end();
    expect(verify().status).toBe(0);
  }, 120_000);
  afterAll(async () => {
    await end();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is refused by verify if only the index has lost an event, which nobody else notices', async () => {
    const changed = async (change: (tables: ReturnType<typeof openTables>, place: [string, number]) => unknown) => {
      const tables = openTables(file, 'write');
      await change(tables, [`wallet_device-${devices[7]?.id}`, 1]);
      await tables.root.close();
    };
    let position: number | undefined;
    await changed(({ streams }, place) => {
      position = streams.get(place);
      return streams.remove(place);
    });
    const { status, stderr } = verify();
    expect([position !== undefined, status, stderr]).toEqual([
      true,
      3,
      expect.stringMatching(`events.mdb: event ${position} of the log is not the one that the index has there`),
    ]);
    await changed(({ streams }, place) => streams.put(place, position ?? 0));
    expect(verify().status).toBe(0);
  }, 120_000);

  it('is refused by name: when the record is read, and by verify, which reads them all', async () => {
    const bytes = readFileSync(file);
    for (let at = bytes.indexOf('Tablet number 3;'); at !== -1; at = bytes.indexOf('Tablet number 3;', at + 1))
      bytes[at] = 'C'.charCodeAt(0);
    writeFileSync(file, bytes);

    const { status, signal, stdout, stderr } = verify();
    expect([status, signal, stdout]).toEqual([3, null, '']);
    expect(stderr).toMatch(NAMED);
    expect(stderr.trim()).not.toContain('\n');

    await start();
    const refused = await rotate(3);
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'store_unavailable']);
    // Log lines appear a moment after the event.
    await eventually(
      async () => service.output(),
      (output) => NAMED.test(output),
      'the log to name the record',
    );
    expect((await rotate(4)).status).toBe(200);
    const made = await call(`${service.url}/v1/wallet-devices`, { body: { name: 'After it' } });
    expect(made.status).toBe(201);
  }, 120_000);
});
