import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { readConfig } from '../../src/config';
import { createLogger } from '../../src/http/logger';
import { type Clock, systemClock } from '../../src/kernel/clock';
import { networkNames } from '../../src/networks';
import { type Service, startService } from '../../src/service';

export type TestService = Service &
  Readonly<{
    dataDir: string;
    /** What leads another process to the same stores. */
    settings: Readonly<Record<string, string>>;
    log: () => string;
    stopAndForget(): Promise<void>;
  }>;

type Options = Readonly<{ env?: Readonly<Record<string, string>>; clock?: Clock; dataDir?: string }>;

/** The whole service in this process, on a free port, with stores of its own. */
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
  const service = await startService({ config, clock, logger: createLogger(config.logLevel, sink) });
  return {
    ...service,
    dataDir: directory,
    settings,
    log: () => lines.join(''),
    stopAndForget: async () => {
      await service.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
