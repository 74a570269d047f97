import { PAGE_BYTES } from './page-bytes';
import { type Collection } from '../../platform/read-model/projection';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { narrowed, ownDocument, ownPage } from './own-documents';

type Thing = Readonly<{ id: string; merchant_id: string; device_id: string }>;
const things = { name: 'things', indexes: {} } as Collection<Thing>;
const thing: Thing = { id: 't1', merchant_id: 'm1', device_id: 'd1' };

const readModel = {
  get: (_: unknown, id: string) => Promise.resolve(id === 't1' ? thing : undefined),
  find: (...asked: unknown[]) => Promise.resolve({ documents: [asked.slice(1)], next: null }),
} as unknown as ReadModel;

describe('documents of a caller', () => {
  it('are shown to their owner', async () => {
    await expect(ownDocument(readModel, things, 't1', { merchant_id: 'm1' })).resolves.toBe(thing);
    await expect(ownDocument(readModel, things, 't1', { merchant_id: 'm1', device_id: 'd1' })).resolves.toBe(thing);
  });

  it.each<[string, Partial<Thing>]>([
    ['t1', { merchant_id: 'm2' }],
    ['t1', { merchant_id: 'm1', device_id: 'd2' }],
    ['t2', { merchant_id: 'm1' }],
  ])('are not there otherwise: %s for %j', (id, ownership) =>
    expect(ownDocument(readModel, things, id, ownership)).rejects.toMatchObject({ code: 'resource_not_found' }),
  );

  it('need an owner', () => expect(ownDocument(readModel, things, 't1', {})).rejects.toThrow('everybody'));

  it('are listed newest first, in the index for what was asked', async () => {
    const own = ['by_merchant', 'm1'] as const;
    const page = { limit: 50, bytes: PAGE_BYTES, order: 'desc' };
    expect(await ownPage(readModel, things, narrowed(own, 'status', 'active'), {})).toEqual({
      documents: [['by_merchant_and_status', ['m1', 'active'], page]],
      next_cursor: null,
    });
    const { documents } = await ownPage(readModel, things, narrowed(own, 'status', undefined), {}, { order: 'asc' });
    expect(documents).toEqual([['by_merchant', ['m1'], { ...page, order: 'asc' }]]);
  });
});
