// Compiles the service into dist/, file by file: no types are checked (`npm run check` does that), so it takes seconds.
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');
const { transformSync } = require('@swc/core');
const options = require('./swc-options.js');

const root = join(__dirname, '..');
const TESTS = /\.(spec|contract-spec|fixtures)\.ts$/;

const sourcesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.ts') && !TESTS.test(name));

// A few imports name the .ts file, so that it can run without a build.
const IMPORT_OF_SOURCE = /(require\("\.{1,2}\/[^"]+)\.ts"\)/g;

/** Returns the number of files. Written aside and moved at the end: a start meanwhile finds the old build intact. */
function compile() {
  const aside = join(root, 'dist', `.new-${process.pid}`);
  const names = ['src', 'projections'].flatMap(sourcesIn);
  try {
    for (const name of names) write(name, join(aside, name.replace(/\.ts$/, '.js')));
    for (const folder of ['projections', 'src']) {
      rmSync(join(root, 'dist', folder), { recursive: true, force: true });
      renameSync(join(aside, folder), join(root, 'dist', folder));
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return names.length;
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
