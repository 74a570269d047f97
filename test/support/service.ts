import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { readConfig } from '../../src/platform/config';
import { EVENT_STORE, type EventStore } from '../../src/platform/event-store/event-store.port';
import { createLogger } from '../../src/platform/logging/logger';
import { type Clock, systemClock } from '../../src/kernel/clock';
import { networkNames } from '../../src/networks';
import { type Service, startService } from '../../src/app/service';
import { issuedSecrets } from './secrets/issued-secrets';
import { searchForSecrets } from './secrets/search';
import { assertVerified } from './verified-log';

export type TestService = Service &
  Readonly<{
    dataDir: string;
    /** Settings that connect another process to the same stores. */
    settings: Readonly<Record<string, string>>;
    log: () => string;
    stopAndForget(): Promise<void>;
  }>;

/** Logs of the running services: test/support/failure-log-environment.js shows their last lines when a test fails. */
const running = new Set<() => string>();
(globalThis as { runningServiceLogs?: ReadonlySet<() => string> }).runningServiceLogs = running;

type Options = Readonly<{ env?: Readonly<Record<string, string>>; clock?: Clock; dataDir?: string }>;

/** No calls arrive during a stop: the only open connections are idle ones of callers. */
const serverLimits = { drainWaitMs: 10 };

/** The whole service in this process, on a free port, with its own stores. */
export async function startTestService({ env = {}, clock = systemClock, dataDir }: Options = {}): Promise<TestService> {
  const directory = dataDir ?? mkdtempSync(join(tmpdir(), 'svc-test-'));
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const settings = { PORT: '0', BASE_URL: 'http://svc.test', DATA_DIR: directory, RATE_LIMITS: 'off', ...env };
  const config = readConfig(settings, networkNames);
  const service = await startService({ config, clock, logger: createLogger(config.logLevel, sink), serverLimits });
  const log = (): string => lines.join('');
  running.add(log);
  const store = service.app.get<EventStore>(EVENT_STORE);
  const since = await store.head();
  for (const name of ['SERVICE_SECRET', 'METRICS_TOKEN']) issuedSecrets.note('service setting', env[name] ?? '');
  // Some suites stop a service twice; closed stores can no longer be searched.
  let searching: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const isFirst = searching === undefined;
    searching ??= searchForSecrets({ app: service.app, dataDir: directory, log, since });
    try {
      if (isFirst) await searching;
      if (isFirst && env['EVENT_STORE'] === undefined) await assertVerified(store);
    } finally {
      await service.stop();
    }
    running.delete(log);
  };
  return {
    ...service,
    dataDir: directory,
    settings,
    log,
    stop,
    stopAndForget: async () => {
      await stop().finally(() => rmSync(directory, { recursive: true, force: true }));
    },
  };
}
