import { collection, type Document } from '../projection';
import { temporaryDirectories } from '../../../../test/support/temp-directory';
import { type ReadModelStore } from '../read-model.port';
import { openEmbeddedReadModel } from './open';

type Thing = Document & Readonly<{ colour: string }>;
const things = collection<Thing>('things', { by_colour: { equals: ['colour'] } });
const ref = { collection: things, id: 'thing' };
const painted = (colour: string, position: bigint) => ({
  collection: things,
  document: { id: 'thing', colour },
  position,
});

describe('an embedded read model that caches what was loaded', () => {
  const newDirectory = temporaryDirectories();
  let store: ReadModelStore;
  beforeEach(async () => {
    store = await openEmbeddedReadModel(newDirectory());
    await store.prepare([things]);
    await store.apply([painted('red', 1n)], 1n);
  });
  afterEach(() => store.close());

  const colours = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const colour of ['red', 'green', 'blue']) {
      const { documents } = await store.find(things, 'by_colour', [colour], { limit: 9 });
      found.push(...documents.map((document) => `${colour}: ${document.colour}`));
    }
    return found;
  };

  it('moves a loaded document in its indexes', async () => {
    await store.load([ref]);
    await store.apply([painted('green', 2n)], 2n);
    expect(await colours()).toEqual(['green: green']);
  });

  it('does not use what was loaded before another write', async () => {
    await store.load([ref]);
    await store.apply([painted('green', 2n)], 2n);
    await store.apply([painted('blue', 3n)], 3n);
    expect(await colours()).toEqual(['blue: blue']);
  });

  it('does not use what was loaded during another write', async () => {
    const writing = store.apply([painted('green', 2n)], 2n);
    await store.load([ref]);
    await Promise.all([writing, store.apply([painted('blue', 3n)], 3n)]);
    expect(await colours()).toEqual(['blue: blue']);
  });

  it('skips writes that are older than a loaded document', async () => {
    await store.load([ref]);
    await store.apply([painted('green', 1n)], 1n);
    expect(await colours()).toEqual(['red: red']);
  });
});
