const { spawnSync } = require('node:child_process');
const { readdirSync, statSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');

const dist = join(__dirname, '../../dist');
const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function isCompiled() {
  const folder = join(dist, '.compiled');
  const built = changedAt(join(dist, 'src/main.js'));
  return changedAt(folder) > 0 && readdirSync(folder).some((name) => changedAt(join(folder, name)) > built);
}

// Before any suite: tests that start the service in its own process start the build, as users do. Older versions of Node
// write their cache of compiled code when a process ends, which is too late for those that start at the same time.
module.exports = () => {
  require('../../scripts/build-if-needed.js');
  if (Module.enableCompileCache !== undefined || isCompiled()) return;
  // If this fails, processes start normally, and the suites show what is wrong with the service.
  spawnSync(process.execPath, [join(__dirname, 'keep-compiled.js')], { timeout: 60_000 });
};
