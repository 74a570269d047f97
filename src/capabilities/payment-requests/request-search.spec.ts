import { nextPaymentRequest, type PaymentRequestDocument } from '../../../projections/payment-request-document';
import { paymentRequests } from '../../../projections/payment-requests.projection';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import { openEmbeddedReadModel } from '../../platform/read-model/embedded/open';
import { type ReadModelStore } from '../../platform/read-model/read-model.port';
import { created, creation } from './payment-request.fixtures';
import { RequestSearch } from './request-search';

const MANY = 2_400;
const RARE = 'agt_rare';

/** All to one recipient; every thousandth is asked for by the rare agent. */
const requests = Array.from({ length: MANY }, (_, index): PaymentRequestDocument => {
  const document = nextPaymentRequest(undefined, created, {
    id: creation.request_id,
    version: 1,
  }) as PaymentRequestDocument;
  const created_at = new Date(Date.parse(creation.created_at) + index).toISOString();
  return { ...document, id: `r${index}`, created_at, agent_id: index % 1_000 === 7 ? RARE : document.agent_id };
});

describe('a search with filters that no index serves together', () => {
  const newDirectory = temporaryDirectories();

  it('costs a bounded number of reads per page, and finds everything by following the cursor', async () => {
    const store = await openEmbeddedReadModel(newDirectory());
    await store.prepare([paymentRequests]);
    const writes = requests.map((document) => ({ collection: paymentRequests, document, position: 1n }));
    await store.apply(writes, 1n);
    const finds: number[] = [];
    const counted: Pick<ReadModelStore, 'find' | 'findEach' | 'get' | 'getAll' | 'count'> = {
      findEach: (...asked) => store.findEach(...asked),
      count: (...asked) => store.count(...asked),
      get: (...asked) => store.get(...asked),
      getAll: (...asked) => store.getAll(...asked),
      find: (...asked) => {
        finds[finds.length - 1] = (finds.at(-1) ?? 0) + 1;
        return store.find(...asked);
      },
    };
    const search = new RequestSearch(counted);
    const owner = { field: 'merchant_id', id: creation.merchant_id } as const;
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      finds.push(0);
      const input = { recipient_id: creation.recipient_id, agent_id: RARE, ...(cursor ? { cursor } : {}) } as const;
      const page = await search.page(owner, input);
      found.push(...page.documents.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(found).toEqual(['r2007', 'r1007', 'r7']);
    expect(finds.length).toBeGreaterThan(1);
    expect(Math.max(...finds)).toBeLessThanOrEqual(5);
    await store.close();
  });
});
