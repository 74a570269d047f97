import fc from 'fast-check';
import { type DocumentWrite, type PageCursor } from '../../../src/platform/read-model/read-model.port';
import { type Opened } from '../read-model.contract';
import { jsonObjects, sortNumbers, sortTexts } from './arbitraries';
import { PlainReadModel } from './plain-read-model';
import { asText, dumpOf, plain, things, type Thing } from './sample-documents';

const ids = fc.constantFrom('a', 'b', 'c', 'A', 'é', '😀', 'a b', '$id', '.', '%41', '__proto__', 'x'.repeat(160));
const statuses = fc.constantFrom<(string | number | boolean)[]>('open', 'done', '1', 1, true, false);
const ranks = fc.oneof(sortNumbers, sortTexts);
const orNothing = <T>(values: fc.Arbitrary<T>) =>
  fc.option(fc.option(values, { freq: 8 }), { freq: 8, nil: undefined });

const documents: fc.Arbitrary<Thing> = fc.record({
  id: ids,
  status: orNothing(statuses),
  owner: orNothing(fc.constantFrom('x', 'y')),
  flag: orNothing(fc.boolean()),
  rank: orNothing(ranks),
  free: orNothing(jsonObjects),
});

const positions = fc.oneof(
  fc.bigInt(0n, 40n),
  fc.bigInt(2n ** 53n - 3n, 2n ** 53n + 3n),
  fc.bigInt(2n ** 63n - 3n, 2n ** 63n - 1n),
);
const writes: fc.Arbitrary<DocumentWrite> = fc.record({
  collection: fc.constantFrom(things, things, plain),
  // Through JSON, like the documents of projections: no undefined, no negative zero.
  document: documents.map((document) => JSON.parse(JSON.stringify(document)) as Thing),
  position: positions,
  // It may be wrong: a replay says it too.
  isNew: fc.boolean(),
});
const cursors: fc.Arbitrary<PageCursor> = fc.record({ sort: ranks, id: ids });

type Search = Readonly<{ index: string; equals: readonly (string | number | boolean)[] }>;
const searches: fc.Arbitrary<Search> = fc.oneof(
  fc.constantFrom<Search[]>({ index: 'all', equals: [] }, { index: 'ranked', equals: [] }),
  fc.record({ index: fc.constantFrom('by_status', 'by_status_ranked'), equals: fc.tuple(statuses) }),
  fc.record({ index: fc.constant('by_three'), equals: fc.tuple(statuses, fc.constantFrom('x', 'y'), fc.boolean()) }),
);

const operations = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('apply' as const),
      writes: fc.array(writes, { maxLength: 8 }),
      checkpoint: positions,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('get' as const), id: ids }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('find' as const),
      search: searches,
      limit: fc.integer({ min: 1, max: 4 }),
      order: fc.constantFrom('asc' as const, 'desc' as const),
      after: fc.option(cursors, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const) }) },
);
type Operation = typeof operations extends fc.Arbitrary<infer O> ? O : never;

export function againstAModel(opened: Opened, runs: number): void {
  it('answers as a plain model does, whatever is written and queried', async () => {
    const play = async (played: readonly Operation[]): Promise<void> => {
      const model = new PlainReadModel();
      await opened.store.reset('model');
      for (const operation of played) await step(opened, model, operation);
      for (const target of [things, plain])
        expect(await dumpOf(opened.store, target)).toEqual(
          model.dump(target).map(({ document, position }) => `${position} ${asText(document)}`),
        );
    };
    await fc.assert(fc.asyncProperty(fc.array(operations, { maxLength: 25, size: 'max' }), play), { numRuns: runs });
  }, 120_000);
}

async function step(opened: Opened, model: PlainReadModel, operation: Operation): Promise<void> {
  const { store } = opened;
  switch (operation.do) {
    case 'apply':
      model.apply(operation.writes, operation.checkpoint);
      await store.apply(operation.writes, operation.checkpoint);
      expect((await store.state()).position).toBe(model.checkpoint);
      return;
    case 'get': {
      const expected = model.get(things, operation.id);
      expect(asText(await store.get(things, operation.id))).toBe(asText(expected?.document));
      const [loaded] = await store.load([{ collection: things, id: operation.id }]);
      expect(loaded?.position).toBe(expected?.position);
      return;
    }
    case 'find': {
      const { search, limit, order, after } = operation;
      const expected = model.find(things, search.index, search.equals, { limit, order, after });
      expect(asText(await store.find(things, search.index, search.equals, { limit, order, after }))).toBe(
        asText(expected),
      );
      return;
    }
    case 'reopen':
      await opened.reopen();
      return;
    case 'reset':
      model.reset();
      await store.reset('model again');
      return;
  }
}
