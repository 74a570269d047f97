import { type Collection, type Document } from '../read-model/projection';
import { keyOf } from '../read-model/plan-writes';
import { type DocumentRef, type Stored } from '../read-model/read-model.port';
import { KnownDocuments } from './known-documents';

const things = { name: 'things', indexes: {} } as unknown as Collection<Document>;
const MiB = 1024 * 1024;

describe('the documents that a projector knows', () => {
  const refs = Array.from({ length: 4_000 }, (_, at): DocumentRef => ({ collection: things, id: `thing_${at}` }));
  const keepAll = (known: KnownDocuments, text: string): void => {
    for (const ref of refs)
      known.keep(new Map([[keyOf(ref), { document: { id: ref.id, text } } as unknown as Stored]]));
  };
  /** How many need not be read from the store. */
  const held = async (known: KnownDocuments): Promise<number> => {
    let missing: readonly DocumentRef[] = [];
    // The newest first: reading counts as a use.
    await known.load([...refs].reverse(), (asked) => {
      missing = asked;
      return Promise.resolve(asked.map(() => undefined));
    });
    return refs.length - missing.length;
  };

  it('are a few thousand of the usual size', async () => {
    const known = new KnownDocuments();
    keepAll(known, 'x'.repeat(1_000));
    expect(await held(known)).toBeGreaterThan(2_000);
  });

  it('take no more memory if each is as large as a body may be', async () => {
    const known = new KnownDocuments();
    keepAll(known, 'x'.repeat(64_000));
    const count = await held(known);
    expect(count).toBeGreaterThan(50);
    expect(count * 64_000).toBeLessThanOrEqual(32 * MiB);
  });
});
