import { collection, type Document } from '../../../src/platform/read-model/projection';
import { Refusal } from '../../../src/kernel/errors';
import { type Opened } from '../read-model.contract';
import { dumpOf, things, write, type Thing } from './sample-documents';

/** Bugs in the service, not bad input: they must throw plain errors and store nothing. */
export function programmingErrors(opened: Opened): void {
  describe('programming errors', () => {
    const fails = async (work: Promise<unknown>, message: RegExp): Promise<void> => {
      const error: unknown = await work.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(Refusal);
      expect((error as Error).message).toMatch(message);
    };
    const find = (index: string, equals: readonly unknown[], limit = 5) =>
      opened.store.find(things, index, equals as string[], { limit });

    it('reports a search by an undeclared index', async () => {
      for (const name of ['none', 'toString', '__proto__', '']) await fails(find(name, []), /has no index/);
    });

    it('reports a search with more or fewer values than the index has fields, or values that are not plain', async () => {
      await fails(find('all', ['x']), /is searched by 0/);
      for (const equals of [[], ['a', 'b'], [undefined], [null], [{ $gt: '' }], [['a']], [NaN]])
        await fails(find('by_status', equals), /is searched by 1/);
    });

    it('reports an invalid page size', async () => {
      for (const limit of [0, -1, 1.5, NaN]) await fails(find('all', [], limit), /page/);
    });

    it('stores nothing of a batch with an unsuitable document', async () => {
      const unfit: [Thing, RegExp][] = [
        [{ id: '' }, /id of 1 to 160/],
        [{ id: 'x'.repeat(161) }, /id of 1 to 160/],
        [{ id: 'x', status: ['s'] }, /index field status/],
        [{ id: 'x', status: {} }, /index field status/],
        [{ id: 'x', rank: true }, /sort field rank/],
        [{ id: 'x', rank: 'é'.repeat(257) }, /longer than 512/],
      ];
      for (const [document, message] of unfit)
        await fails(opened.store.apply([write({ id: 'a' }, 1), write(document, 2)], 2n), message);
      expect(await dumpOf(opened.store, things)).toEqual([]);
      expect((await opened.store.state()).position).toBe(0n);
    });

    it('reports positions beyond 63 bits', async () => {
      for (const position of [-1n, 2n ** 63n]) {
        await fails(opened.store.apply([write({ id: 'a' }, position)], 1n), /position/);
        await fails(opened.store.apply([], position), /position/);
        await fails(opened.store.setBookmark('r', position), /position/);
      }
    });

    it('reports collections and indexes with special names or repeated fields', async () => {
      for (const name of ['', 'a.b', 'a$', 'system.x', '1a', 'x'.repeat(65), 'read_model_state']) {
        await fails(opened.store.prepare([collection<Document>(name)]), /cannot name/);
        await fails(opened.store.prepare([collection<Document>('fine', { [name]: { equals: [] } })]), /cannot name/);
      }
      const twice = collection<Document>('fine', { twice: { equals: ['a'], sort: 'a' } });
      await fails(opened.store.prepare([twice]), /twice/);
    });
  });
}
