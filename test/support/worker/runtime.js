const { sep } = require('node:path');
const { compileFunction, constants } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');
const { loadPackage } = require('./leftovers.js');

const PACKAGES = `${sep}node_modules${sep}`;

/**
 * Loads what all test files share once per worker, but lets no state of the project pass from one file to the next:
 * Node loads packages, and they stay; project files are compiled once and run again for each test file. Needs an
 * environment without its own context (./environment.js).
 */
module.exports = class WorkerRuntime extends JestRuntime {
  constructor(...args) {
    super(...args);
    this.registries.moduleRegistry = new ModulesOfFile();
    this.executor.compile = (source, filename) => compileOnce(source, filename, this.executor.injectedModuleParameters);
  }
};

/** The modules of one test file; packages that are not in it are loaded on demand. */
class ModulesOfFile extends Map {
  get(path) {
    return super.get(path) ?? (path?.includes(PACKAGES) ? packageAt(path) : undefined);
  }
}

function packageAt(path) {
  if (require.cache[path]?.loaded !== true) loadPackage(() => require(path));
  return require.cache[path];
}

/** What this worker has compiled, by file name. */
const compiled = new Map();

function compileOnce(source, filename, parameters) {
  const known = compiled.get(filename);
  if (known?.source === source) return known.run;
  const importModuleDynamically = constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const run = compileFunction(source, parameters, { filename, importModuleDynamically });
  compiled.set(filename, { source, run });
  return run;
}
