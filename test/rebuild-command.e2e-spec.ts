import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
});
