import { type MongoClient } from 'mongodb';

/**
 * Describes a suite that needs a MongoDB server, named by TEST_MONGODB_URL. Without one the suite consists of a test
 * that says so, and missing-engines.reporter.js repeats it after the summary: not red, but not silently green either.
 */
export function describeWithMongo(name: string, body: (url: string) => void): void {
  const url = process.env['TEST_MONGODB_URL'];
  describe(name, () => {
    if (url) return body(url);
    it(`${name}: no MongoDB server named by TEST_MONGODB_URL`, () => {
      expect(process.env['TEST_MONGODB_URL'] ?? '').toBe('');
    });
  });
}

/** How the server compares text, found out by trying. */
export async function textOrderOf(client: MongoClient): Promise<'code points' | 'code units'> {
  const database = client.db(`svc_test_order_${process.pid}`);
  try {
    const texts = database.collection<{ _id: string }>('texts');
    await texts.insertMany([{ _id: '\u{1f600}' }, { _id: '\u{ff5e}' }]);
    const [first] = await texts.find({}, { sort: { _id: 1 } }).toArray();
    return first?._id === '\u{ff5e}' ? 'code points' : 'code units';
  } finally {
    await database.dropDatabase();
  }
}
