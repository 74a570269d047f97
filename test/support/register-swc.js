// Lets plain node run the project's TypeScript, compiled the way the tests compile it:
//   node -r ./test/support/register-swc.js some-program.ts
const { createHash } = module.require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = module.require('node:fs');
const { join } = module.require('node:path');
const { transform } = module.require('../../jest.config.js');
const { version } = module.require('@swc/core/package.json');

const [[, [, options]]] = Object.entries(transform);
const FOLDER = join(__dirname, '../../node_modules/.cache/svc-swc');

module.require('node:module').enableCompileCache?.(join(__dirname, '../../dist/.compiled'));
module.require('reflect-metadata');
process.setSourceMapsEnabled(true);
module.constructor._extensions['.ts'] = (loaded, filename) => {
  loaded._compile(compiled(filename, readFileSync(filename, 'utf8')), filename);
};

/** Cached for the next process: tests that kill a service start it many times, and compiling is a third of a start. */
function compiled(filename, source) {
  const kept = join(
    FOLDER,
    createHash('sha256')
      .update(JSON.stringify([version, options, filename, source]))
      .digest('hex'),
  );
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { transformSync } = module.require('@swc/core');
    const { code } = transformSync(source, { ...options, filename, swcrc: false });
    keep(kept, code);
    return code;
  }
}

/** Another process may be reading or writing the same file; if nothing can be written, nothing is cached. */
function keep(file, code) {
  try {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(`${file}.${process.pid}`, code);
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The next process compiles it again.
  }
}
