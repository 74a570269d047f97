// For processes that tests start: `node -r …/compile-cache.js program.js` reuses compiled code and resolved paths;
// resolving and compiling a thousand files is half the cost of a start. test/support/keep-compiled.js writes the
// cache before any suite. From Node 22 on the service has its own (src/app/compile-cache.ts).
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

const root = join(__dirname, '../..');
const FILE = join(root, 'node_modules/.cache/svc-compiled', `${process.version}-${process.arch}`);
/** Rewritten by a build or by a package installation: the cache must be newer. */
const INPUTS = ['dist/src/main.js', 'node_modules/.package-lock.json'].map((name) => join(root, name));

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const isFresh = () => INPUTS.every((file) => changedAt(file) < changedAt(FILE));

const scriptOf = (source, filename, cachedData) =>
  new Script(Module.wrap(source), { filename, ...(cachedData ? { cachedData } : {}) });

/** As Node does it; see its lib/internal/modules/cjs/loader.js. */
function run(script, loaded, filename) {
  const require = (request) => loaded.require(request);
  require.resolve = (request, options) => Module._resolveFilename(request, loaded, false, options);
  require.resolve.paths = (request) => Module._resolveLookupPaths(request, loaded);
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  script.runInThisContext().call(loaded.exports, loaded.exports, require, loaded, filename, dirname(filename));
}

const placeOf = (request, parent) => `${parent.path}\n${request}`;

function use() {
  const blob = readFileSync(FILE);
  const begin = 4 + blob.readUInt32LE(0);
  const { files, found } = JSON.parse(blob.toString('utf8', 4, begin));
  const load = Module._extensions['.js'];
  Module._extensions['.js'] = (loaded, filename) => {
    const place = Object.hasOwn(files, filename) ? files[filename] : undefined;
    if (place === undefined) return load(loaded, filename);
    const [start, end] = place;
    const script = scriptOf(readFileSync(filename, 'utf8'), filename, blob.subarray(begin + start, begin + end));
    run(script, loaded, filename);
  };
  const resolve = Module._resolveFilename;
  Module._resolveFilename = function (request, parent, isMain, options) {
    const file = options === undefined && parent?.path ? found[placeOf(request, parent)] : undefined;
    return file ?? resolve.call(this, request, parent, isMain, options);
  };
}

/** Records everything loaded from now on; `write` stores it for later processes. */
function remember() {
  const scripts = new Map();
  const found = {};
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (source, filename, ...more) {
    // Code with dynamic imports needs to know its own location, and ES modules are not handled here.
    if (!filename.endsWith('.js') || /\bimport\s*\(|^#!/.test(source))
      return compile.call(this, source, filename, ...more);
    let script;
    try {
      script = scriptOf(source, filename);
    } catch {
      return compile.call(this, source, filename, ...more);
    }
    scripts.set(filename, script);
    run(script, this, filename);
  };
  const resolve = Module._resolveFilename;
  Module._resolveFilename = function (request, parent, isMain, options) {
    const file = resolve.call(this, request, parent, isMain, options);
    if (options === undefined && parent?.path && file.startsWith('/')) found[placeOf(request, parent)] = file;
    return file;
  };
  return { write: () => write(scripts, found) };
}

function write(scripts, found) {
  const files = {};
  const codes = [];
  let end = 0;
  for (const [filename, script] of scripts) {
    const code = script.createCachedData();
    codes.push(code);
    files[filename] = [end, (end += code.length)];
  }
  const index = Buffer.from(JSON.stringify({ files, found }));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(index.length);
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(`${FILE}.${process.pid}`, Buffer.concat([size, index, ...codes]));
  renameSync(`${FILE}.${process.pid}`, FILE);
}

module.exports = { isFresh, isNeeded: Module.enableCompileCache === undefined, remember };

// Without the cache a process starts normally.
if (module.exports.isNeeded && isFresh()) use();
