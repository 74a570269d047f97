import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal, refuse } from '../../kernel/errors';
import { openEmbeddedEventStore } from '../../platform/event-store/embedded/open-embedded-event-store';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { Duplicates } from './duplicates';

const MINUTE_MS = 60_000;
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
  let now = Date.parse('2030-01-01T00:00:00.000Z');
  let amount = 0;

  beforeAll(async () => {
    store = await openEmbeddedEventStore(folder);
    const runner = new CommandRunner(store, { now: () => new Date(now) }, () => Promise.resolve());
    duplicates = new Duplicates(runner, nothing);
  });
  beforeEach(() => void (amount += 1));
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const asked = (requestId: string) => ({
    ...({ connectionId: 'con_1', merchantId: 'mer_1', recipientId: 'rcp_1' } as const),
    amount: String(amount),
    requestId,
  });
  const take = (requestId: string) => duplicates.refuseUnlessOnly(asked(requestId), new Date(now), context);
  const codeOf = (error: unknown): string => (error instanceof Refusal ? error.code : String(error));
  const tried = (requestId: string): Promise<string> => take(requestId).then(() => 'only', codeOf);

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
