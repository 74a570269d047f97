import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectories } from './support/temp-directory';

const root = join(__dirname, '..');

describe('the first start in a fresh copy', () => {
  const directory = temporaryDirectories();

  it('says what it builds, builds what runs, and does neither again', () => {
    const copy = directory();
    for (const name of ['src', 'projections', 'scripts', 'package.json']) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const run = (...words: readonly string[]) =>
      spawnSync(process.execPath, words, { cwd: copy, encoding: 'utf8', env: { ...process.env, WEB: 'off' } });

    const first = run('scripts/build-if-needed.js');
    expect([first.status, first.stdout]).toEqual([0, '']);
    expect(first.stderr).toMatch(/^The first start builds [^\n]+\n {2}compiling the service … \d+ files, [\d.]+ s\n$/);
    expect(existsSync(join(copy, 'dist/src/main.js.map'))).toBe(true);
    expect(existsSync(join(copy, 'dist/src/platform/config.spec.js'))).toBe(false);
    const help = run('dist/src/main.js', '--help');
    expect([help.status, help.stderr]).toEqual([0, '']);

    const second = run('scripts/build-if-needed.js');
    expect([second.status, second.stdout, second.stderr]).toEqual([0, '', '']);
  });
});
