import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startTestService, type TestService } from './support/service';

describe('the data directory', () => {
  const openToOthers = ({ dataDir }: TestService): string[] =>
    readdirSync(dataDir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && (statSync(join(dataDir, entry.name)).mode & 0o077) !== 0)
      .map(({ name }) => name);

  const started: TestService[] = [];
  const start = async (dataDir?: string): Promise<TestService> => {
    const service = await startTestService(dataDir === undefined ? {} : { dataDir });
    started.push(service);
    return service;
  };
  afterAll(async () => {
    for (const service of started) await service.stop();
    for (const { dataDir } of started) rmSync(dataDir, { recursive: true, force: true });
  });

  it('is not readable by others, even if an earlier start left it open', async () => {
    const first = await start();
    expect(readdirSync(first.dataDir)).toEqual(expect.arrayContaining(['events', 'read-model', 'personal-keys']));
    expect(openToOthers(first)).toEqual([]);
    await started.pop()?.stop();
    chmodSync(join(first.dataDir, 'read-model'), 0o755);

    const second = await start(first.dataDir);
    expect(openToOthers(second)).toEqual([]);
  });
});
