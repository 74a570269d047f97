import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectories } from './support/temp-directory';

const root = join(__dirname, '..');
const NO_PROCESS = 2 ** 22 + 1;

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

    // Another build finishes at the same moment, for example one of a second `npm start`.
    const other = join(copy, 'other-build.js');
    writeFileSync(
      other,
      `const fs = require('node:fs');
      const { renameSync } = fs;
      let isLate = false;
      fs.renameSync = (from, to) => {
        if (!isLate && to.endsWith('/dist/src')) {
          isLate = true;
          fs.mkdirSync(to + '/other', { recursive: true });
        }
        return renameSync(from, to);
      };`,
    );
    // Left behind by a build that was killed: no process has so high a number. This test stands for one that still runs.
    const [left, running] = [NO_PROCESS, process.pid].map((pid) => join(copy, 'dist', `.new-${pid}`));
    for (const place of [left, running]) mkdirSync(join(place ?? '', 'src'), { recursive: true });
    expect(run('-r', other, 'scripts/compile.js')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^compiled/),
    });
    expect(existsSync(join(copy, 'dist/src/other'))).toBe(false);
    expect([left, running].map((place) => existsSync(place ?? ''))).toEqual([false, true]);
    rmSync(running ?? '', { recursive: true });
    expect(run('dist/src/main.js', '--help').status).toBe(0);

    appendFileSync(join(copy, 'projections/index.ts'), 'const = 1;');
    expect(run('scripts/build-if-needed.js').status).not.toBe(0);
    expect(readdirSync(join(copy, 'dist')).filter((name) => name.startsWith('.new-'))).toEqual([]);
  });

  it('builds the pages again if one of their sources changed while they were built', () => {
    const copy = directory();
    cpSync(join(root, 'scripts'), join(copy, 'scripts'), { recursive: true });
    for (const name of ['src/audit/proofs', 'projections', 'sdk/src', 'web', 'dist/src', 'node_modules/vite/bin'])
      mkdirSync(join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules/@swc'), join(copy, 'node_modules/@swc'));
    const source = join(copy, 'web/page.ts');
    for (const file of [join(copy, 'package.json'), source, join(copy, 'dist/src/main.js')]) writeFileSync(file, '{}');
    // Replaces the real one, which takes seconds: a source file is saved during the build.
    const vite = `
      const { mkdirSync, utimesSync, writeFileSync } = require('node:fs');
      utimesSync(${JSON.stringify(source)}, new Date(), new Date());
      const end = Date.now() + 20;
      while (Date.now() < end);
      mkdirSync('dist/web/portal', { recursive: true });
      writeFileSync('dist/web/portal/index.html', '');`;
    writeFileSync(join(copy, 'node_modules/vite/bin/vite.js'), vite);
    const run = () => spawnSync(process.execPath, ['scripts/build-if-needed.js'], { cwd: copy, encoding: 'utf8' });
    for (let time = 0; time < 2; time += 1) {
      const { status, stderr } = run();
      expect([status, stderr]).toEqual([0, expect.stringContaining('building the pages … portal and wallet')]);
    }
  });
});
