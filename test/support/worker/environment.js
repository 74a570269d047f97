const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { noteProcess } = require('./leftovers.js');

// What jest's own code looks for, so that a test which replaces one of these does not disturb it.
const NATIVE = {
  'jest-native-promise': Promise,
  'jest-native-now': Date.now.bind(Date),
};
for (const [name, value] of Object.entries(NATIVE)) globalThis[Symbol.for(name)] ??= value;
globalThis['jest-symbol-do-not-touch'] ??= Symbol;

/**
 * Runs a test file in the worker's own context, where packages that are loaded once serve every file. A context of its own for
 * each file would need copies of them all. What a file leaves behind is taken back when it ends.
 */
module.exports = class WorkerEnvironment {
  constructor({ projectConfig }) {
    this.takeBack = noteProcess();
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.fakeTimers = null;
    Error.stackTraceLimit = 100;
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.fakeTimersModern = null;
    this.takeBack();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return globalThis;
  }
};
