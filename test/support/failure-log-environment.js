const WorkerEnvironment = require('./worker/environment.js');
const { beginCosts } = require('./worker/suite-costs.js');

const MAX_LINES = 25;
/** Logs of served requests do not explain why a test failed. */
const SHOWN_LEVELS = ['warn', 'error', 'fatal'];

/** Shows the running services' last warnings when a test fails: the output of a one-off failure must explain it. */
module.exports = class FailureLogEnvironment extends WorkerEnvironment {
  constructor(config, context) {
    super(config, context);
    this.endCosts = beginCosts(context.testPath);
  }

  async teardown() {
    await super.teardown();
    this.endCosts();
  }

  handleTestEvent(event) {
    if (event.name !== 'test_done' || event.test.errors.length === 0) return;
    for (const log of [...(this.global.runningServiceLogs ?? []), ...(this.global.processLogs ?? [])]) {
      const warnings = log().split('\n').filter(isWarning).slice(-MAX_LINES);
      if (warnings.length > 0) process.stderr.write(`the service's last warnings:\n${warnings.join('\n')}\n`);
    }
  }
};

function isWarning(line) {
  try {
    return SHOWN_LEVELS.includes(JSON.parse(line).level);
  } catch {
    return false;
  }
}
