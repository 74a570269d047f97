// Builds when there is no build or a source is newer than it, so that `npm start` is one command on a fresh machine.
const { execFileSync } = require('node:child_process');
const { existsSync, readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const built = join(root, 'dist', 'src', 'main.js');

function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const sources = ['src', 'projections', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
const stale =
  !existsSync(built) || Math.max(...sources.map((name) => newest(join(root, name)))) > statSync(built).mtimeMs;
if (stale) {
  process.stderr.write('building…\n');
  execFileSync(process.execPath, [require.resolve('@nestjs/cli/bin/nest.js'), 'build'], {
    cwd: root,
    stdio: 'inherit',
  });
}
