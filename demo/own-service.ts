import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/platform/config';
import { createLogger } from '../src/platform/logging/logger';
import { systemClock } from '../src/kernel/clock';
import { networkNames } from '../src/networks';
import { startService } from '../src/app/service';
import { freePort } from '../test/support/free-port';

export type Scenery = Readonly<{ url: string; outbox: string; stop(): Promise<void> }>;

/** The demo's own service: embedded stores in a directory that is removed at the end. */
export async function startOwnService(
  dnsServer: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Scenery & Readonly<{ dataDir: string }>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-demo-'));
  // The port must be known beforehand: BASE_URL contains it and agents sign it.
  const settings = {
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    DNS_SERVERS: dnsServer,
    ALLOW_PRIVATE_NETWORKS: 'true',
    LOG_LEVEL: 'error',
    ...more,
  };
  const config = readConfig(settings, networkNames);
  const service = await startService({ config, clock: systemClock, logger: createLogger(config.logLevel) });
  return {
    url: service.url,
    dataDir,
    outbox: join(dataDir, 'outbox.jsonl'),
    stop: async () => {
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
