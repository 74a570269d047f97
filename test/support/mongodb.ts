import { type MongoClient } from 'mongodb';

/**
 * Describes what needs a MongoDB server, named by TEST_MONGODB_URL. Without one the suite says so in a test of its own,
 * and the reporter beside this file repeats it after the summary: not red, but not silently green either.
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

/** How the server compares text, found out by letting it. */
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
