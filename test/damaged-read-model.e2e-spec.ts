import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from './support/child';
import { eventually } from './support/eventually';
import { call } from './support/http';

describe('a read model whose pages were changed on disk', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-damaged-'));
  const file = join(dataDir, 'read-model', 'data.mdb');
  let service: ServiceProcess;
  let device: Readonly<{ id: string; headers: Record<string, string> }>;

  const start = async (): Promise<void> => {
    service = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
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

  it('refuses with 503 rather than show what was never stored, and is built anew at the next start', async () => {
    expect((await read()).body.device.name).toBe('Kitchen tablet');
    await stop();
    // One letter of a name: the JSON around it stays whole.
    const bytes = readFileSync(file);
    for (let at = bytes.indexOf('Kitchen tablet'); at !== -1; at = bytes.indexOf('Kitchen tablet', at + 1))
      bytes[at] = 0x4c;
    writeFileSync(file, bytes);

    await start();
    const refused = await read();
    expect([refused.status, refused.body.error.code]).toEqual([503, 'store_unavailable']);
    expect((await call(`${service.url}/health/ready`)).status).toBe(503);
    expect((await call(`${service.url}/health`)).status).toBe(200);
    await stop();

    await start();
    await eventually(
      async () => (await call(`${service.url}/health/ready`)).status,
      (status) => status === 200,
      'being ready again',
    );
    expect((await read()).body.device.name).toBe('Kitchen tablet');
  }, 120_000);
});
