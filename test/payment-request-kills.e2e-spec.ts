import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { LOG_START } from '../src/platform/event-store/event-store.port';
import { type ServiceProcess, spawnService } from './support/child';
import { figure, progress, seedOfRun, sizeFrom, timeLimit } from './support/figures';
import { createPayment, type PaymentScene, readPayment } from './support/payments';
import { prepareScene } from './support/prepared-scene';

/** 50 in a full-size run. */
const ROUNDS = sizeFrom('CHAOS_ROUNDS', 3);
const SEED = seedOfRun();
const AT_ONCE = 60;

type Names = Readonly<{ key?: string; id?: string }>;

describe('a service that is killed while it creates payment requests', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-kills-'));
  let scene: PaymentScene;
  let running: ServiceProcess;

  beforeAll(async () => {
    scene = await prepareScene(dataDir);
    running = await start();
  }, 60_000);
  afterAll(async () => {
    running.child.kill('SIGKILL');
    await running.ended;
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = (): Promise<ServiceProcess> => spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  const create = ({ key, id }: Names) =>
    createPayment(
      running,
      scene,
      id === undefined ? {} : { request_id: id },
      key === undefined ? {} : { 'idempotency-key': key },
    );

  /** Sends many calls at once, kills the service after `enough` answers, and returns the ids that were answered. */
  const stormAndKill = async (names: Names, enough: number): Promise<string[]> => {
    const answered: string[] = [];
    const killed = running;
    const calls = Array.from({ length: AT_ONCE }, () =>
      create(names).then(
        ({ status, body }) => {
          if (status < 300) answered.push(body.payment_request.request_id as string);
          if (answered.length >= enough) killed.child.kill('SIGKILL');
        },
        () => undefined,
      ),
    );
    if (enough === 0) killed.child.kill('SIGKILL');
    await Promise.all(calls);
    killed.child.kill('SIGKILL');
    await killed.ended;
    return answered;
  };

  it(
    `creates one payment per name, and loses none it acknowledged (${ROUNDS} rounds, seed ${SEED})`,
    async () => {
      const made = new Map<string, Names>();
      let round = 0;
      const oneRound = fc.asyncProperty(fc.nat(AT_ONCE), fc.constantFrom('key', 'id', 'both'), async (enough, kind) => {
        round += 1;
        progress(round, ROUNDS);
        const names = {
          ...(kind === 'id' ? {} : { key: `key-${round}` }),
          ...(kind === 'key' ? {} : { id: `id-${round}` }),
        };
        const answered = await stormAndKill(names, enough);
        running = await start();
        const again = await Promise.all(Array.from({ length: 5 }, () => create(names)));
        const ids = new Set([...answered, ...again.map(({ body }) => body.payment_request.request_id as string)]);
        expect(ids.size).toBe(1);
        expect(again.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(answered.length > 0 ? 0 : 1);
        for (const id of ids) {
          made.set(id, names);
          expect((await readPayment(running, scene, id)).status).toBe(200);
        }
      });
      await fc.assert(oneRound, { numRuns: ROUNDS, endOnFailure: true, seed: SEED });

      running.child.kill('SIGKILL');
      await running.ended;
      const store = await openEmbeddedEventStore(join(dataDir, 'events'));
      const events = await store.readAll(LOG_START, 100_000);
      await store.close();
      const created = events.filter(({ type }) => type === 'PaymentRequestCreated');
      const ids = created.map(({ data }) => (data as { request_id: string }).request_id);
      const lost = [...made.keys()].filter((id) => !ids.includes(id)).length;
      figure({
        promise: 'one key and kill -9',
        tried: round,
        lost,
        doubled: ids.length - (made.size - lost),
        seed: SEED,
      });
      expect(ids.sort()).toEqual([...made.keys()].sort());
    },
    timeLimit(600_000),
  );
});
