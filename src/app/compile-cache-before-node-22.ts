import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join, sep } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

type Module = NodeJS.Module;
type Require = Module['require'] & Partial<NodeJS.Require>;
type Resolve = (request: string, parent?: Module, isMain?: boolean, options?: object) => string;
type Compile = (this: Module, source: string, filename: string, ...more: unknown[]) => unknown;

/** What Node's types leave out. The versions that need this get no new features, so it stays as it is. */
type Loader = {
  prototype: { _compile: Compile };
  _resolveFilename: Resolve;
  _resolveLookupPaths(request: string, parent: Module): string[] | null;
  _extensions: NodeJS.RequireExtensions;
  _cache: NodeJS.Dict<Module>;
  wrap(source: string): string;
};

/** `sum` is that of the source, `codeSum` that of the code: V8 trusts what it is given. */
type Compiled = Readonly<{ sum: number; codeSum: number; code: Buffer }>;
/** `found` says which file a request from a folder leads to. */
type Kept = Readonly<{ files: Map<string, Compiled>; found: Record<string, string> }>;
type Entry = readonly [name: string, sum: number, codeSum: number, length: number];
type Index = Readonly<{ of: string; files: readonly Entry[]; found: Record<string, string> }>;

const loader = nodeModule as unknown as Loader;
/** The length and the sum of the index, which follows. */
const HEAD_BYTES = 8;
const START_TIME_MS = 10_000;
/** Of the wrapper, so that errors name the columns of the source. */
const columnOffset = -loader.wrap('').indexOf('\n');
/** ES modules and code that imports them are left to Node, which gives them more than this does. */
const LEFT_TO_NODE = /\bimport\s*\(|^#!/;

/**
 * What `module.enableCompileCache` does, for versions of Node that lack it: resolving and compiling some 1,600 files is
 * a third of a start there. Everything is in one file, written when the process ends.
 */
export function keepCompiled(folder: string): void {
  // Source maps are known to Node only if it compiles the files itself.
  if (/--enable-source-maps/.test(`${process.execArgv.join(' ')} ${process.env['NODE_OPTIONS'] ?? ''}`)) return;
  const [dist, root] = [join(folder, '..'), join(folder, '..', '..')];
  const of = identityOf(dist, root);
  if (of === undefined) return;
  // The tag covers the version of V8 and its options: it takes compiled code only from a process with the same ones.
  const tag = cachedDataVersionTag().toString(16);
  const file = join(folder, `${process.version}-${process.arch}-${tag}-${crc32(of).toString(16)}`);
  const mayKeep = (path: string): boolean =>
    [dist, join(root, 'node_modules')].some((base) => path.startsWith(base + sep));
  let kept = readKept(file, of);
  // Some megabytes, which a service that runs has no use for.
  setTimeout(() => (kept = nothing()), START_TIME_MS).unref();
  const added = new Map<string, Readonly<{ sum: number; script: Script }>>();
  const found: Record<string, string> = {};

  const compile = loader.prototype._compile;
  loader.prototype._compile = function (source, filename, ...more) {
    const leave = (): unknown => compile.call(this, source, filename, ...more);
    if (!filename.endsWith('.js') || more[0] === 'module' || LEFT_TO_NODE.test(source)) return leave();
    const sum = crc32(source);
    const cachedData = codeIn(kept, filename, sum);
    let script: Script;
    try {
      script = new Script(loader.wrap(source), { filename, columnOffset, ...(cachedData && { cachedData }) });
    } catch {
      // Node finds out what it is, or says what is wrong with it.
      return leave();
    }
    if (cachedData === undefined || script.cachedDataRejected === true) added.set(filename, { sum, script });
    return run(script, this, filename);
  };

  const resolve = loader._resolveFilename;
  loader._resolveFilename = function (this: unknown, request, parent, isMain, options) {
    const place =
      options === undefined && parent?.path && mayKeep(parent.path) ? `${parent.path}\n${request}` : undefined;
    const before = place === undefined ? undefined : kept.found[place];
    if (before !== undefined) return before;
    const filename = resolve.call(this, request, parent, isMain, options);
    if (place !== undefined && filename.endsWith('.js') && mayKeep(filename)) found[place] = filename;
    return filename;
  };

  process.once('exit', () => {
    if (added.size === 0 && Object.keys(found).length === 0) return;
    try {
      const before = readKept(file, of);
      const places = Object.keys(found).filter((place) => before.found[place] !== found[place]);
      const scripts = [...added].filter(([filename, { sum }]) => codeIn(before, filename, sum) === undefined);
      // What this process has loaded may be gone: a later build, or other packages.
      if (places.length + scripts.length === 0 || identityOf(dist, root) !== of) return;
      Object.assign(before.found, found);
      for (const [filename, { sum, script }] of scripts) {
        const code = script.createCachedData();
        before.files.set(filename, { sum, codeSum: crc32(code), code });
      }
      write(file, of, before);
    } catch {
      // The folder is not writable, or the disk is full: the next start compiles again.
    }
  });
}

/**
 * Of what all of this was made from: the build, the installed packages, and how Node finds files. Undefined where that
 * cannot be told.
 */
function identityOf(dist: string, root: string): string | undefined {
  try {
    const made = [join(dist, 'src', 'main.js'), join(root, 'node_modules', '.package-lock.json')].map((file) => {
      const { mtimeMs, ctimeMs, ino, size } = statSync(file);
      return [file, mtimeMs, ctimeMs, ino, size];
    });
    const { NODE_OPTIONS, NODE_PATH } = process.env;
    const options = process.execArgv.filter((word) => /^(-C|--conditions|--preserve-symlinks)/.test(word));
    return JSON.stringify([made, options, NODE_OPTIONS, NODE_PATH]);
  } catch {
    return undefined;
  }
}

function codeIn({ files }: Kept, filename: string, sum: number): Buffer | undefined {
  const known = files.get(filename);
  return known?.sum === sum && known.codeSum === crc32(known.code) ? known.code : undefined;
}

/** Calls the compiled file as Node's loader does. */
function run(script: Script, loaded: Module, filename: string): unknown {
  const require: Require = (request: string): unknown => loaded.require(request);
  const resolve = (request: string, options?: object): string =>
    loader._resolveFilename(request, loaded, false, options);
  require.resolve = Object.assign(resolve, {
    paths: (request: string) => loader._resolveLookupPaths(request, loaded),
  });
  require.main = process.mainModule;
  require.extensions = loader._extensions;
  require.cache = loader._cache;
  const call = script.runInThisContext() as (...names: readonly unknown[]) => unknown;
  return call.call(loaded.exports, loaded.exports, require, loaded, filename, dirname(filename));
}

const nothing = (): Kept => ({ files: new Map(), found: {} });

/** Nothing if it is damaged, or was made from something else. */
function readKept(file: string, of: string): Kept {
  try {
    const bytes = readFileSync(file);
    const begin = HEAD_BYTES + bytes.readUInt32LE(0);
    const text = bytes.subarray(HEAD_BYTES, begin);
    if (crc32(text) !== bytes.readUInt32LE(4)) return nothing();
    const index = JSON.parse(text.toString()) as Index;
    if (index.of !== of) return nothing();
    const files = new Map<string, Compiled>();
    let at = begin;
    for (const [name, sum, codeSum, length] of index.files)
      files.set(name, { sum, codeSum, code: bytes.subarray(at, (at += length)) });
    return { files, found: index.found };
  } catch {
    return nothing();
  }
}

/** Processes that end at the same time each write all they know; the last one stays. */
function write(file: string, of: string, { files, found }: Kept): void {
  const entries = [...files].map(([name, { sum, codeSum, code }]): Entry => [name, sum, codeSum, code.length]);
  const text = Buffer.from(JSON.stringify({ of, files: entries, found } satisfies Index));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(text.length);
  head.writeUInt32LE(crc32(text), 4);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // One name for all processes: what a killed one leaves behind is used again.
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  try {
    const codes = [...files.values()].map(({ code }) => code);
    writeFileSync(temporary, Buffer.concat([head, text, ...codes]), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
