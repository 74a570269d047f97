/** The name of the only test that a suite registers if its engine is missing. */
const NO_ENGINE = /^(.*): no (.+) server named by (TEST_\w+)$/;
/** A run with this many tests is taken for a full run. */
const MANY = 4_000;
const NO_TOOL = /^(.*): no (\S+) on this machine$/;

/**
 * Reports after the summary which suites lacked their engine or tool, so that a green run is not mistaken for a
 * complete one. With REQUIRE_ENGINES=true a run without an engine fails.
 */
module.exports = class MissingEnginesReporter {
  onRunComplete(_contexts, results) {
    const titles = results.testResults.flatMap(({ testResults }) => testResults.map(({ title }) => title));
    for (const title of titles) {
      const [, suite, engine, variable] = NO_ENGINE.exec(title) ?? [];
      const [, work, tool] = NO_TOOL.exec(title) ?? [];
      if (suite !== undefined) {
        this.missing = true;
        process.stderr.write(`NOT RUN: ${suite} (no ${engine} server; set ${variable})\n`);
      } else if (work !== undefined) {
        process.stderr.write(`NOT RUN: ${work} (no ${tool} on this machine)\n`);
      }
    }
    if (process.env.TEST_MONGODB_URL && process.env.TEST_PAIRS !== 'all' && titles.length > MANY) {
      process.stdout.write(
        'the main flows ran on both pairs of stores; npm run test:engines runs every suite on the engines\n',
      );
    }
    process.stdout.write(`\n${results.numPassedTests} passed, ${results.numFailedTests} failed\n`);
  }

  getLastError() {
    if (this.missing && process.env.REQUIRE_ENGINES === 'true') return new Error('an engine is missing');
  }
};
