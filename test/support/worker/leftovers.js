const { AsyncLocalStorage } = require('node:async_hooks');
const { Server } = require('node:net');
const perfHooks = require('node:perf_hooks');

/**
 * What a test file could change for the next one in its worker: globals, what comes with the language, and the process. Objects
 * of the language are few and change never; looking at all of them costs less than a millisecond.
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

/** What Node or jest changes while a file runs, and what is brought back in another way. */
const LEFT_ALONE = new Map([
  [process, new Set(['_events', '_eventsCount', '_maxListeners', '_exiting', 'exitCode', 'env', 'domain'])],
  [Error, new Set(['prepareStackTrace', 'stackTraceLimit'])],
]);

/** Properties that packages added when they were loaded: a package is loaded once for each worker and counts on them. */
const ofPackages = new Map(WATCHED.map((object) => [object, new Set(LEFT_ALONE.get(object))]));

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

/** Notes how the process is. What is returned brings it back to that, whatever a test file has left behind. */
exports.noteProcess = function noteProcess() {
  const properties = new Map(WATCHED.map((object) => [object, propertiesOf(object)]));
  const env = { ...process.env };
  const { exitCode } = process;
  const listeners = new Set(process.eventNames().flatMap((name) => process.rawListeners(name)));
  return () => {
    for (const [object, noted] of properties) restore(object, noted, ofPackages.get(object));
    restoreEnv(env);
    process.exitCode = exitCode;
    for (const name of process.eventNames().filter((name) => HEARD.test(String(name)))) {
      for (const listener of process.rawListeners(name)) {
        if (!listeners.has(listener)) process.removeListener(name, listener);
      }
    }
    for (const end of lasting.splice(0)) end();
  };
};

/** Events of the process that somebody else than a test may cause. */
const HEARD = /^(SIG\w+|message|disconnect|warning|uncaughtException|unhandledRejection|rejectionHandled)$/;

/**
 * How to end what would last as long as the worker. Node 20 carries each storage that was ever entered along with every
 * promise, and an observer keeps the metrics of a service that has stopped, with all that they reach.
 */
const lasting = [];
endLater(AsyncLocalStorage.prototype, 'run', (storage) => storage.disable());
endLater(AsyncLocalStorage.prototype, 'enterWith', (storage) => storage.disable());
// Also of a server that no longer listens: the service stops without http.Server#close, which alone ends its look at connections.
endLater(Server.prototype, 'listen', (server) => server.close());
endLater(perfHooks.PerformanceObserver.prototype, 'observe', (observer) => observer.disconnect());

// A monitor is never collected, and what it remembers of where it was made is the test file.
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
