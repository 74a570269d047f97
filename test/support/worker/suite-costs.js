const { appendFileSync, existsSync, readFileSync } = require('node:fs');

const STAT = '/proc/self/stat';
const TICK_MS = 10;

/** Processor time of the child processes that have ended, as Linux counts it. */
function childrenMs() {
  if (!existsSync(STAT)) return 0;
  const [, fields = ''] = /\) (.*)/.exec(readFileSync(STAT, 'utf8')) ?? [];
  const [user = 0, system = 0] = fields.split(' ').slice(13, 15).map(Number);
  return (user + system) * TICK_MS;
}

/**
 * With SUITE_COSTS=<file>, a line is appended for each test file when it ends: milliseconds of processor time of the
 * worker and of its child processes, and the file.
 */
exports.beginCosts = function beginCosts(testPath) {
  const file = process.env.SUITE_COSTS;
  if (!file) return () => undefined;
  const begun = process.cpuUsage();
  const children = childrenMs();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    appendFileSync(file, `${Math.round((user + system) / 1000)},${childrenMs() - children},${testPath}\n`);
  };
};
