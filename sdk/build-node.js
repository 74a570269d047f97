// Builds what runs only in Node: the `svc` command and the credentials file. Prints only to standard error, because
// standard output belongs to the command. `quick` skips type declarations and type checking.
const { execFileSync } = require('node:child_process');
const { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

function buildNode(out, { quick = false } = {}) {
  const begun = Date.now();
  const draft = `${out}.${process.pid}.new`;
  const options = quick ? ['--noCheck', '--declaration', 'false'] : [];
  mkdirSync(dirname(out), { recursive: true });
  const project = join(__dirname, 'tsconfig.node.json');
  const compiler = require.resolve('typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', draft, ...options], { stdio: ['ignore', 2, 2] });
  writeFileSync(join(draft, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
  const isNewer = existsSync(out) && statSync(out).mtimeMs > begun;
  // Another call may have built it meanwhile, and may be loading it.
  if (!isNewer) rmSync(out, { recursive: true, force: true });
  try {
    renameSync(draft, out);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    rmSync(draft, { recursive: true, force: true });
  }
}

module.exports = { buildNode };
