const { AsyncLocalStorage } = require('node:async_hooks');
const { Server } = require('node:net');
const perfHooks = require('node:perf_hooks');

/**
 * What a test file could change for the next one in its worker: globals, built-ins, and the process. Built-ins are few
 * and hardly ever change; checking all of them takes less than a millisecond.
 */
const WATCHED = [
  globalThis,
  process,
  ...Object.getOwnPropertyNames(globalThis)
    .filter((name) => /^[A-Z]/.test(name))
    .map((name) => Object.getOwnPropertyDescriptor(globalThis, name)?.value)
    .filter((value) => typeof value === 'function' || (typeof value === 'object' && value !== null))
    .flatMap((value) => (typeof value.prototype === 'object' ? [value, value.prototype] : [value])),
];

/** Changed by Node or jest while a file runs, or restored in another way. */
const EXEMPT = new Map([
  [process, new Set(['_events', '_eventsCount', '_maxListeners', '_exiting', 'exitCode', 'env', 'domain'])],
  [Error, new Set(['prepareStackTrace', 'stackTraceLimit'])],
]);

/** Properties that packages added when they were loaded: a package is loaded once per worker and relies on them. */
const ofPackages = new Map(WATCHED.map((object) => [object, new Set(EXEMPT.get(object))]));

/** Loads a package, and keeps what it adds to the globals. */
exports.loadPackage = function loadPackage(load) {
  const before = WATCHED.map((object) => new Set(Reflect.ownKeys(object)));
  try {
    return load();
  } finally {
    WATCHED.forEach((object, place) => {
      for (const key of Reflect.ownKeys(object)) if (!before[place].has(key)) ofPackages.get(object).add(key);
    });
  }
};

/** Records the state of the process. The returned function restores it, whatever a test file has left behind. */
exports.noteProcess = function noteProcess() {
  const properties = new Map(WATCHED.map((object) => [object, propertiesOf(object)]));
  const env = { ...process.env };
  const { exitCode } = process;
  const listeners = new Set(process.eventNames().flatMap((name) => process.rawListeners(name)));
  return () => {
    for (const [object, noted] of properties) restore(object, noted, ofPackages.get(object));
    restoreEnv(env);
    process.exitCode = exitCode;
    for (const name of process.eventNames().filter((name) => PROCESS_EVENTS.test(String(name)))) {
      for (const listener of process.rawListeners(name)) {
        if (!listeners.has(listener)) process.removeListener(name, listener);
      }
    }
    for (const end of lasting.splice(0)) end();
  };
};

/** Process events that something other than a test may cause. */
const PROCESS_EVENTS = /^(SIG\w+|message|disconnect|warning|uncaughtException|unhandledRejection|rejectionHandled)$/;

/**
 * How to end what would otherwise live as long as the worker. Node 20 attaches every AsyncLocalStorage ever entered to
 * every promise, and an observer keeps the metrics of a stopped service alive, with everything they reference.
 */
const lasting = [];
endLater(AsyncLocalStorage.prototype, 'run', (storage) => storage.disable());
endLater(AsyncLocalStorage.prototype, 'enterWith', (storage) => storage.disable());
// Also for a server that no longer listens: only http.Server#close, which the service skips, ends its connection check.
endLater(Server.prototype, 'listen', (server) => server.close());
endLater(perfHooks.PerformanceObserver.prototype, 'observe', (observer) => observer.disconnect());

// A monitor is never garbage-collected, and its async context would keep the test file alive.
const { monitorEventLoopDelay } = perfHooks;
const outsideOfTests = AsyncLocalStorage.snapshot();
perfHooks.monitorEventLoopDelay = (...args) => {
  const monitor = outsideOfTests(monitorEventLoopDelay, ...args);
  lasting.push(() => monitor.disable());
  return monitor;
};

function endLater(prototype, method, end) {
  const begin = prototype[method];
  const begun = new WeakSet();
  prototype[method] = function (...args) {
    if (!begun.has(this)) {
      begun.add(this);
      lasting.push(() => {
        begun.delete(this);
        end(this);
      });
    }
    return begin.apply(this, args);
  };
}

const propertiesOf = (object) =>
  new Map(Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)]));

function restore(object, noted, leftAlone) {
  for (const key of Reflect.ownKeys(object)) {
    if (!noted.has(key) && !leftAlone.has(key)) Reflect.deleteProperty(object, key);
  }
  for (const [key, descriptor] of noted) {
    const now = Object.getOwnPropertyDescriptor(object, key);
    const isSame = now !== undefined && Object.is(now.value, descriptor.value) && now.get === descriptor.get;
    if (!isSame && !leftAlone.has(key)) Reflect.defineProperty(object, key, descriptor);
  }
}

function restoreEnv(env) {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value;
}
