import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { LOG_START } from '../src/platform/event-store/event-store.port';
import { spawnService } from './support/child';
import { figure, progress, seedOfRun, sizeFrom, timeLimit } from './support/figures';
import { keepRegistering } from './support/register-without-pause';
import { seededRandom } from './support/seeded';

/** 20 in a full-size run. */
const ROUNDS = sizeFrom('CHAOS_ROUNDS', 1);
const CONNECTIONS = 32;
const random = seededRandom(seedOfRun());

describe('a service that is asked to stop', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-stop-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  async function devicesInLog(): Promise<number> {
    const store = await openEmbeddedEventStore(join(dataDir, 'events'));
    let count = 0;
    for (let page = await store.readAll(LOG_START, 1_000); page.length > 0;) {
      count += page.filter(({ type }) => type === 'WalletDeviceRegistered').length;
      page = await store.readAll(page.at(-1)?.position ?? LOG_START, 1_000);
    }
    await store.close();
    return count;
  }

  it(
    `stops without dropping an answer, however busy (${ROUNDS} rounds, seed ${random.seed})`,
    async () => {
      let registered = 0;
      let slowestMs = 0;
      const dropped: string[] = [];
      const codes: (number | null)[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const { url, child, ended } = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
        const load = keepRegistering(url, CONNECTIONS);
        await load.until(100 + random.below(200));
        const asked = performance.now();
        child.kill('SIGTERM');
        codes.push(await ended);
        slowestMs = Math.max(slowestMs, performance.now() - asked);
        const seen = await load.finished;
        registered += seen.registered;
        dropped.push(...seen.dropped);
        progress(round + 1, ROUNDS);
      }
      const there = await devicesInLog();
      const lost = dropped.length + Math.max(0, registered - there);
      const doubled = Math.max(0, there - registered);
      figure({ promise: 'stops under load', tried: ROUNDS, lost, doubled, seed: random.seed, slowestMs });
      expect({ dropped, codes: [...new Set(codes)], there }).toEqual({ dropped: [], codes: [0], there: registered });
      expect(registered).toBeGreaterThanOrEqual(ROUNDS * 100);
    },
    timeLimit(60_000),
  );
});
