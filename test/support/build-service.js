const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { isFresh, isNeeded } = require('./compile-cache.js');

// Before any suite: tests that start the service in its own process start the build, as users do, and do not have to
// compile it each time.
module.exports = () => {
  require('../../scripts/build-if-needed.js');
  // If this fails, processes start normally, and the suites show what is wrong with the service.
  if (isNeeded && !isFresh()) spawnSync(process.execPath, [join(__dirname, 'keep-compiled.js')], { timeout: 60_000 });
};
