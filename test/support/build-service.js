const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { isFresh, isNeeded } = require('./compile-cache.js');

// Before any suite: tests that start the service as a process of its own start the build, as users do, and need not compile
// it again each time.
module.exports = () => {
  require('../../scripts/build-if-needed.js');
  // Where it fails, processes start as they always do, and the suites say what is wrong with the service.
  if (isNeeded && !isFresh()) spawnSync(process.execPath, [join(__dirname, 'keep-compiled.js')], { timeout: 60_000 });
};
