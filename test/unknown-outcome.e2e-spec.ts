import { EVENT_STORE, type EventStore, LOG_START } from '../src/platform/event-store/event-store.port';
import { type DnsResponder } from './support/dns-responder';
import { type Faults, makeFaulty } from './support/faulty-event-store';
import { figure, progress, seedOfRun, sizeFrom, timeLimit } from './support/figures';
import { describeOnEachPair } from './support/pairs';
import { createPayment, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { seededRandom } from './support/seeded';
import { type TestService } from './support/service';

/** 10000 in a full-size run. */
const COMMANDS = sizeFrom('CHAOS_COMMANDS', 150);
const AT_ONCE = 32;
const random = seededRandom(seedOfRun());

describeOnEachPair('an event store whose responses get lost', (start) => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let faults: Faults;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    service = await start({ env: { ...env, LOG_LEVEL: 'silent' } });
    scene = await setPaymentScene(service, dns);
    faults = makeFaulty(service.app.get<EventStore>(EVENT_STORE), random);
  });
  afterAll(async () => {
    faults.end();
    await service.stopAndForget();
    await dns.close();
  });

  /** Like a careful caller: repeats with the same key until there is a response. */
  async function createSurely(number: number): Promise<string> {
    for (;;) {
      const { status, body, text } = await createPayment(
        service,
        scene,
        {},
        { 'idempotency-key': `unknown-${number}` },
      );
      if (status < 300) return body.payment_request.request_id as string;
      if (status !== 503) throw new Error(`${status}: ${text}`);
    }
  }

  it(
    `has the effect of every command once (${COMMANDS} commands, seed ${random.seed})`,
    async () => {
      const answered: string[] = [];
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < COMMANDS) {
          answered.push(await createSurely(next++));
          progress(answered.length, COMMANDS);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      faults.end();

      const store = service.app.get<EventStore>(EVENT_STORE);
      const eventIds: string[] = [];
      const made: string[] = [];
      for (let page = await store.readAll(LOG_START, 1_000); page.length > 0;) {
        eventIds.push(...page.map(({ metadata }) => metadata.event_id));
        const created = page.filter(({ type }) => type === 'PaymentRequestCreated');
        made.push(...created.map(({ data }) => (data as { request_id: string }).request_id));
        page = await store.readAll(page.at(-1)?.position ?? LOG_START, 1_000);
      }
      const lost = answered.filter((id) => !made.includes(id)).length;
      const doubled = eventIds.length - new Set(eventIds).size + Math.max(0, made.length - COMMANDS);
      figure({ promise: 'unknown outcomes are resolved', tried: COMMANDS, lost, doubled, seed: random.seed });
      expect({ lost, doubled, payments: made.length }).toEqual({ lost: 0, doubled: 0, payments: COMMANDS });
      expect(new Set(answered).size).toBe(COMMANDS);
      // Every kind of fault occurred.
      expect(Object.values(faults.met).filter((count) => count === 0)).toEqual([]);
    },
    timeLimit(120_000),
  );
});
