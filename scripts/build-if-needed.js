// Builds when there is no build or a source is newer than it, so that `npm start` is one command on a fresh machine.
// The service and the pages are built apart: who changes one does not wait for the other.
const { execFileSync } = require('node:child_process');
const { existsSync, readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');

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

function run(script, ...words) {
  execFileSync(process.execPath, [script, ...words], { cwd: root, stdio: 'inherit' });
}

const service = ['src', 'projections', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
if (isStale(built, service)) {
  process.stderr.write('building…\n');
  run(require.resolve('@nestjs/cli/bin/nest.js'), 'build');
}
// What the pages take from elsewhere: the client library, and the check of proofs that the service has too.
if (isStale(pages, ['web', 'sdk/src', 'src/audit/proofs', 'package.json'])) {
  process.stderr.write('building the pages…\n');
  run(join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', 'web');
}
