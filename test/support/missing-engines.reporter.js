/** What a suite calls the one test it registers when the engine it needs is not there. */
const MISSING = /^(.*): no (.+) server named by (TEST_\w+)$/;

/**
 * Says after the summary which suites ran without their engine, so that a green run cannot be taken for a complete one.
 * With REQUIRE_ENGINES=true such a run fails.
 */
module.exports = class MissingEnginesReporter {
  onRunComplete(_contexts, results) {
    const titles = results.testResults.flatMap(({ testResults }) => testResults.map(({ title }) => title));
    for (const title of titles) {
      const [, suite, engine, variable] = MISSING.exec(title) ?? [];
      if (suite === undefined) continue;
      this.missing = true;
      process.stderr.write(`NOT RUN: ${suite} (no ${engine} server; set ${variable})\n`);
    }
    process.stdout.write(`\n${results.numPassedTests} passed, ${results.numFailedTests} failed\n`);
  }

  getLastError() {
    if (this.missing && process.env.REQUIRE_ENGINES === 'true') return new Error('an engine is missing');
  }
};
