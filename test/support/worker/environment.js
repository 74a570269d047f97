const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { noteProcess } = require('./leftovers.js');

// The originals that jest's own code uses, so that a test that replaces one of these does not disturb it.
const NATIVE = {
  'jest-native-promise': Promise,
  'jest-native-now': Date.now.bind(Date),
};
for (const [name, value] of Object.entries(NATIVE)) globalThis[Symbol.for(name)] ??= value;
globalThis['jest-symbol-do-not-touch'] ??= Symbol;

/**
 * Runs a test file in the worker's own context, where packages are loaded once for all files. A separate context per
 * file would need its own copies of them. What a file leaves behind is undone when it ends.
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
