const { availableParallelism } = require('node:os');

const base = { ...require('./jest.config.js') };
delete base.globalSetup;
delete base.reporters;

/**
 * Deciders, projections, and everything else that needs no process, no build and no engine: for running after every
 * change, and on every supported Node.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  roots: ['<rootDir>/src', '<rootDir>/projections', '<rootDir>/sdk/src'],
  testRegex: ['\\.spec\\.ts$'],
  // One more than the cores: half of the time these suites wait for timers and sockets.
  maxWorkers: availableParallelism() + 1,
};
