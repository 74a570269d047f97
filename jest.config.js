const swc = { ...require('./scripts/swc-options.js'), sourceMaps: 'inline' };

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/test/support/failure-log-environment.js',
  runtime: '<rootDir>/test/support/worker/runtime.js',
  roots: [
    '<rootDir>/src',
    '<rootDir>/projections',
    '<rootDir>/sdk/src',
    '<rootDir>/mcp/src',
    '<rootDir>/web',
    '<rootDir>/test',
  ],
  testRegex: ['\\.(spec|e2e-spec|contract-spec)\\.ts$'],
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  globalSetup: '<rootDir>/test/support/build-service.js',
  setupFiles: ['reflect-metadata'],
  setupFilesAfterEnv: ['<rootDir>/test/support/secrets/after-each-file.ts'],
  testTimeout: 60000,
  reporters: ['default', '<rootDir>/test/support/missing-engines.reporter.js'],
  // Twice as many as CI has cores: half of the time suites wait for timers or for their own processes.
  maxWorkers: 4,
  // A worker retains some memory of every file it ran, and garbage collection costs more and more.
  workerIdleMemoryLimit: '1GB',
};
