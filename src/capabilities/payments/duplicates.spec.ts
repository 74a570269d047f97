import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal, refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { openEmbeddedEventStore } from '../../platform/event-store/embedded/open-embedded-event-store';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { type AgentPaymentEvent } from '../../events/agent-payment.events';
import { type Decider } from '../../kernel/decider';
import * as agentPayment from '../agent-payments/agent-payment.fixtures';
import * as paymentRequest from '../payment-requests/payment-request.fixtures';
import { type PaymentRequestEvent } from '../../events/payment-request.events';
import { Duplicates } from './duplicates';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const context = { requestId: 'r', actor: { kind: 'test', id: 't' } } as const;
/** The read model is empty: none of these calls has created anything yet. */
const nothing = {
  find: () => Promise.resolve({ documents: [], next: null }),
  findEach: (_collection: unknown, _index: unknown, asked: readonly unknown[]) => Promise.resolve(asked.map(() => [])),
} as unknown as ReadModel;

describe('calls that must be the only ones for their recipient and amount', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-duplicates-'));
  let store: EventStore;
  let duplicates: Duplicates;
  let runner: CommandRunner;
  let now = Date.parse('2030-01-01T00:00:00.000Z');
  let amount = 0;

  beforeAll(async () => {
    store = await openEmbeddedEventStore(folder);
    runner = new CommandRunner(store, { now: () => new Date(now) }, () => Promise.resolve());
    duplicates = new Duplicates(runner, nothing);
  });
  beforeEach(() => void (amount += 1));
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const asked = (requestId: string) => ({
    ...({
      connectionId: 'con_1',
      deviceId: 'dev_1',
      agentId: 'agt_1',
      merchantId: 'mer_1',
      recipientId: 'rcp_1',
    } as const),
    amount: String(amount),
    requestId,
  });
  const take = (requestId: string) => duplicates.refuseUnlessOnly(asked(requestId), new Date(now), context);
  const codeOf = (error: unknown): string => (error instanceof Refusal ? error.code : String(error));
  const tried = (requestId: string): Promise<string> => take(requestId).then(() => 'only', codeOf);

  type Written = AgentPaymentEvent | PaymentRequestEvent;
  /** Writes what is called for, whatever was written before. */
  const written = (category: 'agent_payment' | 'payment_request'): Decider<null, Written, Written> => ({
    category,
    initial: null,
    decide: (event) => [event],
    evolve: () => null,
  });
  const happened = (id: string, event: Written) =>
    runner.run(written(id.startsWith('ap_') ? 'agent_payment' : 'payment_request'), id, event, context);
  /** The payment or request that a call was for: made, for what it asked or for another amount. */
  const made = (id: string, changes: object = {}) => {
    const { created } = id.startsWith('ap_') ? agentPayment : paymentRequest;
    const wanted = { device_id: 'dev_1', recipient_id: 'rcp_1', amount: `${amount}.0`, ...changes };
    return happened(id, { ...created, data: { ...created.data, ...wanted } } as Written);
  };
  it.each([
    ['ap', 'failed', agentPayment.failed],
    ['ap', 'rejected', agentPayment.rejected],
    ['ap', 'expired', agentPayment.expired],
    ['pr', 'failed', paymentRequest.failedFrom('signed')],
    ['pr', 'rejected', paymentRequest.rejected],
    ['pr', 'expired', paymentRequest.expired],
  ] as const)('keep their place until what they made (%s) is %s', async (kind, _, end) => {
    const [one, other] = [newId(kind), newId(kind)];
    await take(one);
    await made(one);
    now += 11 * MINUTE_MS;
    expect(await tried(other)).toBe('possible_duplicate');
    await happened(one, end);
    expect(await tried(other)).toBe('only');
  });

  it('keep their place for a day after they made something', async () => {
    const [one, other] = [newId('ap'), newId('ap')];
    await take(one);
    await made(one);
    await happened(one, agentPayment.confirmed);
    now += DAY_MS;
    expect(await tried(other)).toBe('possible_duplicate');
    now += 1;
    expect(await tried(other)).toBe('only');
  });

  it.each([{ amount: '99' }, { device_id: 'dev_2' }, { recipient_id: 'rcp_2' }])(
    'do not keep their place if their id has been used for something else: %j',
    async (changes) => {
      const [one, other] = [newId('pr'), newId('pr')];
      await take(one);
      await made(one, changes);
      now += 10 * MINUTE_MS;
      expect(await tried(other)).toBe('possible_duplicate');
      now += 1;
      expect(await tried(other)).toBe('only');
    },
  );

  it('keep their place after a failure that leaves open what was made', async () => {
    const hold = await take('ap_one');
    for (const error of [refuse('store_unavailable'), new Error('no answer')]) {
      await duplicates.releaseAfter(error, hold, new Date(now), context);
      expect(await tried('ap_two')).toBe('possible_duplicate');
    }
    await duplicates.releaseAfter(refuse('HC_NC_5_HITL_REQUIRED'), hold, new Date(now), context);
    expect(await tried('ap_two')).toBe('only');
  });

  it('keep their place if a call with the same key made it while another was refused', async () => {
    const one = newId('ap');
    const hold = await take(one);
    await made(one);
    await duplicates.releaseAfter(refuse('HC_NC_5_HITL_REQUIRED'), hold, new Date(now), context);
    expect(await tried(newId('ap'))).toBe('possible_duplicate');
  });

  it('leave their place to the same order through the other API only if they will never make it', async () => {
    const one = newId('ap');
    await take(one);
    const asPossible = (forgone: boolean) => {
      const rival = { id: one, forgo: () => Promise.resolve(forgone) };
      return duplicates.refuseUnlessOnly({ ...asked(newId('pr')), rival }, new Date(now), context);
    };
    await expect(asPossible(false)).rejects.toMatchObject({ code: 'possible_duplicate' });
    await expect(asPossible(true)).resolves.toBeDefined();
  });

  it('keep their place while a repeat is in flight, however old the first call is', async () => {
    // The first call died before it created anything; its repeat is about to.
    expect(await tried('ap_one')).toBe('only');
    now += 11 * MINUTE_MS;
    expect(await tried('ap_one')).toBe('only');
    expect(await tried('ap_two')).toBe('possible_duplicate');
    now += 11 * MINUTE_MS;
    expect(await tried('ap_two')).toBe('only');
  });

  it('keep their place while one of them is in flight, although another was refused', async () => {
    const [first, repeat] = [await take('ap_one'), await take('ap_one')];
    const refusal = refuse('HC_NC_5_HITL_REQUIRED');
    await duplicates.releaseAfter(refusal, first, new Date(now), context);
    expect(await tried('ap_two')).toBe('possible_duplicate');
    await duplicates.releaseAfter(refusal, repeat, new Date(now), context);
    expect(await tried('ap_two')).toBe('only');
  });

  it('are named, before they have made anything, by the id that their caller chose', async () => {
    const chosen = { ...asked('pr_one'), chosenId: 'order-1' };
    const holds = [1, 2].map(() => duplicates.refuseUnlessOnly(chosen, new Date(now), context));
    const [first] = await Promise.all(holds);
    if (first) await duplicates.releaseAfter(refuse('resource_not_found'), first, new Date(now), context);
    await expect(take('pr_two')).rejects.toMatchObject({
      details: { duplicates: [{ request_id: 'order-1', status: 'pending' }] },
    });
  });

  it('do not keep a place for a call that died by being refused again and again', async () => {
    await take('ap_one');
    for (let minutes = 0; minutes < 12; minutes += 4) {
      now += 4 * MINUTE_MS;
      await duplicates.releaseAfter(refuse('HC_NC_5_HITL_REQUIRED'), await take('ap_one'), new Date(now), context);
    }
    expect(await tried('ap_two')).toBe('only');
  });
});
