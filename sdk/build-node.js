// Builds programs that run only in Node: here the `svc` command and the credentials file, in mcp/ the server. Prints only
// to standard error, because standard output belongs to the program. `quick` skips type declarations and type checking.
const { execFileSync } = require('node:child_process');
const { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

// The compiler that is a compiled program: it needs a quarter of the time of the one that runs in Node.
const compiler = () => join(dirname(require.resolve('typescript-native/package.json')), 'bin/tsc');
const compile = (words, stdio) => execFileSync(process.execPath, [compiler(), ...words], { stdio });

const QUICK = ['--noCheck', '--declaration', 'false'];

function buildNode(out, { quick = false } = {}) {
  buildProgram(join(__dirname, 'tsconfig.node.json'), out, quick ? QUICK : [], (draft) =>
    writeFileSync(join(draft, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`),
  );
}

/** Built aside and moved into place whole: another call may build the same meanwhile, or load what is there. */
function buildProgram(project, out, options, finish = () => undefined) {
  const begun = Date.now();
  const draft = `${out}.${process.pid}.new`;
  mkdirSync(dirname(out), { recursive: true });
  compile(['-p', project, '--outDir', draft, ...options], ['ignore', 2, 2]);
  finish(draft);
  const isNewer = existsSync(out) && statSync(out).mtimeMs > begun;
  if (!isNewer) rmSync(out, { recursive: true, force: true });
  try {
    renameSync(draft, out);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Whether a program is built and none of its sources is newer. */
function isFresh(program, folders) {
  if (!existsSync(program)) return false;
  const since = statSync(program).mtimeMs;
  return folders.every((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .every((name) => statSync(join(folder, name)).mtimeMs <= since),
  );
}

module.exports = { compile, buildNode, buildProgram, isFresh, QUICK };
