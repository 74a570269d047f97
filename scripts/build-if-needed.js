// Builds if there is no build or a source is newer, so that `npm start` is one command on a fresh machine. Service and
// pages are built separately: changing one does not rebuild the other. Reports each step as it runs.
const { spawnSync } = require('node:child_process');
const { existsSync, readdirSync, statSync, utimesSync } = require('node:fs');
const { join } = require('node:path');
const { compile } = require('./compile.js');

const root = join(__dirname, '..');
const built = join(root, 'dist', 'src', 'main.js');
const pages = join(root, 'dist', 'web', 'portal', 'index.html');

function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const isStale = (result, sources) =>
  !existsSync(result) || Math.max(...sources.map((name) => newest(join(root, name)))) > statSync(result).mtimeMs;

function step(what, work) {
  const began = Date.now();
  process.stderr.write(`${what} … `);
  const done = work();
  process.stderr.write(`${done}, ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
}

function buildPages() {
  const began = new Date();
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, 'build', 'web', '--logLevel', 'warn'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) {
    process.stderr.write(`failed\n${stdout}${stderr}`);
    process.exit(1);
  }
  // Dated back to the start of the build, so that a source that changed meanwhile counts as newer.
  utimesSync(pages, began, began);
  return 'portal and wallet';
}

const needsService = isStale(built, [
  'src',
  'projections',
  'package.json',
  'scripts/compile.js',
  'scripts/swc-options.js',
]);
// Sources the pages share: the client library, and the proof checks that the service has too.
const needsPages = process.env.WEB !== 'off' && isStale(pages, ['web', 'sdk/src', 'src/audit/proofs', 'package.json']);

if (needsService || needsPages)
  process.stderr.write('The first start builds what has changed; the next ones do not.\n');
if (needsService) step('  compiling the service', () => `${compile()} files`);
if (needsPages) step('  building the pages', buildPages);
