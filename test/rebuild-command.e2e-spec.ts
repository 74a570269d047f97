import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedReadModel } from '../src/platform/read-model/embedded/open';
import { built } from './support/child';

describe('the command that rebuilds the read models', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-rebuild-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each([
    [['--help'], 0],
    [['--dry-run'], 2],
    [['./other-data'], 2],
  ])('changes nothing with %j', (words, code) => {
    const DATA_DIR = join(directory, 'data');
    const { status, stdout, stderr } = spawnSync(process.execPath, [...built('app/rebuild-projections.js'), ...words], {
      env: { ...process.env, DATA_DIR },
      encoding: 'utf8',
    });
    expect([status, existsSync(DATA_DIR)]).toEqual([code, false]);
    expect(code === 0 ? stdout : stderr).toMatch(/drops every read model/);
  });

  it('says that the log is not the one that the read models were built from', async () => {
    const DATA_DIR = join(directory, 'restored');
    const model = await openEmbeddedReadModel(join(DATA_DIR, 'read-model'));
    await model.apply([], 5n, [], 'evt_of_another_log');
    await model.close();
    const rebuild = (): string =>
      spawnSync(process.execPath, built('app/rebuild-projections.js'), {
        env: { ...process.env, DATA_DIR },
        encoding: 'utf8',
      }).stderr;
    expect(rebuild()).toContain('svc: the log no longer has what the read model has seen; was it restored?');
    expect(rebuild()).not.toContain('restored');
  });
});
