// Compiles the service into dist/, file by file: no types are checked (`npm run check` does that), so it takes seconds.
const {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { dirname, join, relative } = require('node:path');
const { transformSync } = require('@swc/core');
const options = require('./swc-options.js');

const root = join(__dirname, '..');
const TESTS = /\.(spec|contract-spec|fixtures)\.ts$/;

const filesIn = (folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name));
const isSource = (name) => name.endsWith('.ts') && !TESTS.test(name);

// A few imports name the .ts file, so that it can run without a build.
const IMPORT_OF_SOURCE = /(require\("\.{1,2}\/[^"]+)\.ts"\)/g;

/** Returns the number of files. Moves them into place last, so that a concurrent start finds a complete build. */
function compile() {
  removeLeftovers();
  const temporary = join(root, 'dist', `.new-${process.pid}`);
  const files = ['src', 'projections'].flatMap(filesIn);
  const names = files.filter(isSource);
  try {
    for (const name of names) write(name, join(temporary, name.replace(/\.ts$/, '.js')));
    for (const name of files) if (name.endsWith('.json')) copyFileSync(join(root, name), join(temporary, name));
    for (const folder of ['projections', 'src']) replace(folder, temporary);
    // What Node has compiled of the build before.
    rmSync(join(root, 'dist', '.compiled'), { recursive: true, force: true });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return names.length;
}

/** Of builds that were killed: each has the size of a whole build, and nothing else would ever delete it. */
function removeLeftovers() {
  const place = join(root, 'dist');
  for (const name of existsSync(place) ? readdirSync(place) : []) {
    const [, pid] = /^\.new-(\d+)$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(place, name), { recursive: true, force: true });
  }
}

/** One of this number but not this one has ended. A process of another user is running too. */
const isRunning = (pid) => {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code !== 'ESRCH';
  }
};

/**
 * Moves the old folder away instead of deleting it in place: deleting takes a while, and two builds that finish together
 * would delete each other's files. The folder that is moved last remains.
 */
function replace(folder, temporary) {
  const place = join(root, 'dist', folder);
  for (let attempt = 0; ; attempt += 1) {
    unlessError('ENOENT', () => renameSync(place, join(temporary, `old-${folder}-${attempt}`)));
    if (unlessError('ENOTEMPTY', () => renameSync(join(temporary, folder), place))) return;
  }
}

/** Returns false if the work failed with this error code. */
function unlessError(code, work) {
  try {
    work();
    return true;
  } catch (error) {
    if (error.code === code) return false;
    throw error;
  }
}

function write(name, target) {
  const source = relative(dirname(join(root, 'dist', name)), join(root, name)).replaceAll('\\', '/');
  const settings = { ...options, filename: join(root, name), sourceFileName: source, sourceMaps: true, swcrc: false };
  const { code, map } = transformSync(readFileSync(join(root, name), 'utf8'), settings);
  mkdirSync(dirname(target), { recursive: true });
  const link = `\n//# sourceMappingURL=${target.slice(dirname(target).length + 1)}.map\n`;
  writeFileSync(target, code.replace(IMPORT_OF_SOURCE, '$1.js")') + link);
  writeFileSync(`${target}.map`, map);
}

module.exports = { compile };

if (require.main === module) process.stderr.write(`compiled ${compile()} files\n`);
