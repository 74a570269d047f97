import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type EventStore, LOG_START, type RecordedEvent } from '../../src/platform/event-store/event-store.port';
import { openEventStoreDb } from '../../src/platform/event-store/eventstoredb/eventstoredb-store';
import { newId } from '../../src/kernel/ids';
import { pause } from '../../src/kernel/pause';
import { type ServiceProcess, spawnService } from './child';
import { type EventStoreDbProcess, spawnEventStoreDb } from './eventstoredb/server-process';
import { type Answer } from './http';

export type Instance = ServiceProcess & Readonly<{ dataDir: string }>;

/** Several processes of the service on one EventStoreDB and one MongoDB. They share a folder for mail. */
export class Instances {
  private readonly everyone: Instance[] = [];
  private readonly running = new Set<Instance>();
  private readonly paused = new Set<Instance>();

  private constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly dataDir: string,
    private readonly log: EventStore,
    private readonly end: () => Promise<void>,
  ) {}

  static async open(mongoUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Instances> {
    const given = process.env['TEST_EVENTSTORE_URL'];
    const engine: EventStoreDbProcess | undefined = given ? undefined : await spawnEventStoreDb();
    const logUrl = given ?? engine?.url ?? '';
    const database = `svc_test_${newId('req').slice(-12)}`;
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-instances-'));
    const log = await openEventStoreDb(logUrl);
    const settings = {
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: logUrl,
      READ_STORE: 'mongodb',
      MONGODB_URL: inDatabase(mongoUrl, database),
      SERVICE_SECRET: 'only-for-tests-only-for-tests-only-for-tests',
      BASE_URL: 'http://svc.test',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      ...env,
    };
    return new Instances(settings, dataDir, log, async () => {
      await log.close();
      await engine?.stop();
      const client = await MongoClient.connect(mongoUrl);
      await client.db(database).dropDatabase();
      await client.close();
      rmSync(dataDir, { recursive: true, force: true });
    });
  }

  /** Settings that connect another process to the same stores. */
  get settings(): Readonly<Record<string, string>> {
    return this.env;
  }

  /** Adds an instance; resolves when it is ready. */
  async add(env: Readonly<Record<string, string>> = {}): Promise<Instance> {
    const instance = { ...(await spawnService({ ...this.env, ...env })), dataDir: this.dataDir };
    this.everyone.push(instance);
    this.running.add(instance);
    while (!(await isReady(instance))) await pause(50);
    return instance;
  }

  /**
   * How many found that another had taken over a share of their work while they stood still. What they had in flight is
   * sent again, and rightly so.
   */
  get robbed(): number {
    return this.everyone.filter(({ output }) => output().includes('another instance has taken over a share')).length;
  }

  /** The instances that are not paused. */
  get awake(): readonly Instance[] {
    return [...this.running].filter((instance) => !this.paused.has(instance));
  }

  /** SIGKILL, or a graceful stop; resolves with the exit code. */
  async stop(instance: Instance, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    this.running.delete(instance);
    instance.child.kill(signal);
    return instance.ended;
  }

  pause(instance: Instance): void {
    this.paused.add(instance);
    instance.child.kill('SIGSTOP');
  }

  wake(instance: Instance): void {
    instance.child.kill('SIGCONT');
    this.paused.delete(instance);
  }

  /** The leader, once there is one. */
  async leader(): Promise<Instance> {
    for (;;) {
      for (const instance of this.awake) if (await leads(instance)) return instance;
      // A response with all metrics takes milliseconds of the instance that is to take over.
      await pause(100);
    }
  }

  /**
   * Asks all instances twice, one after another. One that says yes both times was the leader in between; so if another
   * says yes in between, there were two leaders at once.
   */
  async twoLead(): Promise<boolean> {
    const awake = this.awake;
    const answers: boolean[] = [];
    for (const instance of [...awake, ...awake]) answers.push(await leads(instance).catch(() => false));
    const count = awake.length;
    return awake.some(
      (_, at) => answers[at] && answers[at + count] && answers.slice(at + 1, at + count).some((other) => other),
    );
  }

  async eventsOfType(...types: readonly string[]): Promise<RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    for (let position = LOG_START; ;) {
      const page = await this.log.readAll(position, 1000);
      const last = page.at(-1);
      if (last === undefined) return found;
      found.push(...page.filter(({ type }) => types.includes(type)));
      position = last.position;
    }
  }

  /** Like a client with several addresses: tries one after another until one gives a definite answer. */
  async insist(attempt: (instance: Instance) => Promise<Answer>): Promise<Answer> {
    for (let at = Math.floor(Math.random() * 100); ; at += 1) {
      const instance = this.awake[at % this.awake.length];
      const answer = instance && (await attempt(instance).catch(() => undefined));
      if (answer !== undefined && answer.status < 500) return answer;
      await pause(50);
    }
  }

  async close(): Promise<void> {
    for (const instance of this.running) {
      this.wake(instance);
      await this.stop(instance, 'SIGTERM');
    }
    await this.end();
  }
}

export const inDatabase = (mongoUrl: string, database: string): string =>
  mongoUrl.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?[^?]*/, `$1/${database}`);

export async function leads({ url }: Pick<Instance, 'url'>): Promise<boolean> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5_000) });
  return /^svc_leader 1$/m.test(await response.text());
}

export async function isReady({ url }: Pick<Instance, 'url'>): Promise<boolean> {
  const { status } = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(30_000) });
  return status === 200;
}
