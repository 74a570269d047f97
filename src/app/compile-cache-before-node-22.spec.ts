import { type Options, transformFileSync } from '@swc/core';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectories } from '../../test/support/temp-directory';

const swcOptions = jest.requireActual<Options>('../../scripts/swc-options');
const { code: cache } = transformFileSync(join(__dirname, 'compile-cache-before-node-22.ts'), swcOptions);

/** Counts what V8 is given, in a process that keeps compiled code as the service does. */
const PROBE = `
  const vm = require('node:vm');
  const seen = { reused: 0, compiled: 0 };
  vm.Script = class extends vm.Script {
    constructor(source, options) {
      super(source, options);
      seen[options.cachedData !== undefined && !this.cachedDataRejected ? 'reused' : 'compiled'] += 1;
    }
  };
  require('./cache.js').keepCompiled(require('node:path').join(__dirname, 'dist/.compiled'));
  process.on('exit', () => console.log(JSON.stringify(seen)));
`;

const PROGRAM = {
  'dist/src/main.js': `
    const { part } = require('./part');
    console.log(JSON.stringify([part(), require('pkg'), require('es').name, require('./data.json').n,
      require.main === module, require.resolve('pkg') === require('pkg').place, __filename.endsWith('main.js')]));`,
  'dist/src/part.js': `exports.part = () => 'one';`,
  'dist/src/data.json': '{"n": 7}',
  'node_modules/pkg/package.json': '{"main": "first.js"}',
  'node_modules/pkg/first.js': `module.exports = { name: 'first', place: __filename };`,
  'node_modules/pkg/other.js': `module.exports = { name: 'other', place: __filename };`,
  'node_modules/es/package.json': '{"type": "module", "main": "es.js"}',
  'node_modules/es/es.js': `export const name = 'es';`,
  'node_modules/.package-lock.json': '{}',
  'cache.js': cache,
  'probe.js': PROBE,
};

describe('compiled code that is kept', () => {
  const directory = temporaryDirectories();
  let root: string;
  const write = (name: string, text: string): void => {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    // Files that were there long before: only a newer build or installation counts.
    utimesSync(file, 1_000, 1_000);
  };
  beforeEach(() => {
    root = directory();
    for (const [name, text] of Object.entries(PROGRAM)) write(name, text);
  });

  function run(
    ...options: readonly string[]
  ): Readonly<{ status: number | null; said: unknown; reused: number; compiled: number; error: string }> {
    const words = [...options, '-r', join(root, 'probe.js'), join(root, 'dist/src/main.js')];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    const lines = stdout.trim().split('\n');
    const seen = JSON.parse(lines.at(-1) ?? '') as { reused: number; compiled: number };
    const said: unknown = lines.length > 1 ? JSON.parse(lines[0] ?? '') : undefined;
    return { status, said, error: stderr, ...seen };
  }
  const theFile = (): string => {
    const names = readdirSync(join(root, 'dist/.compiled'));
    expect(names).toHaveLength(1);
    return join(root, 'dist/.compiled', names[0] ?? '');
  };
  const first = (): string => join(root, 'node_modules/pkg/first.js');
  const usual = (): unknown => ['one', { name: 'first', place: first() }, 'es', 7, true, true, true];

  it('is used by the next process, which does the same', () => {
    expect(run()).toMatchObject({ status: 0, said: usual(), reused: 0, compiled: 3 });
    const written = statSync(theFile()).mtimeMs;
    expect(run()).toMatchObject({ status: 0, said: usual(), reused: 3, compiled: 0 });
    expect(statSync(theFile()).mtimeMs).toBe(written);
  });

  it('is not used for a file that has changed, whatever its length and time', () => {
    run();
    write('dist/src/part.js', `exports.part = () => 'two';`);
    expect(run()).toMatchObject({ said: expect.arrayContaining(['two']), reused: 2, compiled: 1 });
    expect(run()).toMatchObject({ said: expect.arrayContaining(['two']), reused: 3, compiled: 0 });
  });

  it('is not used after a build or an installation of packages, whatever their times: a name may lead to another file', () => {
    run();
    write('node_modules/pkg/package.json', '{"main": "other.js"}');
    const other = { said: expect.arrayContaining([{ name: 'other', place: expect.any(String) as string }]) };
    for (const changed of ['node_modules/.package-lock.json', 'dist/src/main.js'] as const) {
      rmSync(join(root, changed));
      write(changed, PROGRAM[changed]);
      expect(run()).toMatchObject({ ...other, reused: 0 });
      expect(run()).toMatchObject({ ...other, reused: 3, compiled: 0 });
    }
  });

  it('is not kept by a process that was started before a build, which has loaded what is gone', () => {
    write(
      'dist/src/part.js',
      `exports.part = () => 'one'; require('node:fs').utimesSync(require.main.filename, 5, 5);`,
    );
    expect(run()).toMatchObject({ status: 0, said: usual() });
    expect(existsSync(join(root, 'dist/.compiled'))).toBe(false);
  });

  it('can be read and written by its owner only, and leaves nothing else behind', () => {
    run();
    expect([statSync(dirname(theFile())).mode & 0o777, statSync(theFile()).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('is left to Node where source maps are wanted, which it reads as it compiles', () => {
    expect(run('--enable-source-maps')).toMatchObject({ status: 0, said: usual(), reused: 0, compiled: 0 });
  });

  it('leaves lines and columns in errors as they are', () => {
    write('dist/src/part.js', `exports.part = () => { throw new Error('here') };`);
    expect(run().error).toContain('part.js:1:30');
    expect(run().error).toContain('part.js:1:30');
  });

  it('is not used where it is damaged', () => {
    run();
    const whole = readFileSync(theFile());
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 6)) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0xff, at);
      writeFileSync(theFile(), damaged);
      expect(run()).toMatchObject({ status: 0, said: usual() });
      expect(run()).toMatchObject({ reused: 3, compiled: 0 });
    }
    for (const length of [0, 3, 10, whole.length - 1]) {
      writeFileSync(theFile(), whole.subarray(0, length));
      expect(run()).toMatchObject({ status: 0, said: usual() });
    }
  });

  it('is not kept where nothing can be written, and nobody notices', () => {
    write('dist/.compiled', 'in the way');
    expect(run()).toMatchObject({ status: 0, said: usual(), error: '' });
    expect(run()).toMatchObject({ status: 0, said: usual(), reused: 0, error: '' });
  });

  it('does not change what Node says about a file it cannot compile', () => {
    write('dist/src/part.js', `exports.part = (;`);
    const { status, error } = run();
    expect([status, error]).toEqual([
      1,
      expect.stringMatching(/part\.js:1\n.*\n[^]*SyntaxError: Unexpected token ';'/),
    ]);
  });
});
