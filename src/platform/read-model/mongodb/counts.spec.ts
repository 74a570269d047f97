import { BSON } from 'mongodb';
import { collection } from '../projection';
import { found, startMongoWire } from '../../../../test/support/mongodb-wire/server';
import { openMongoReadModel } from './mongodb-read-model';

const things = collection('things', { by_status: { equals: ['status'] } });

describe('a MongoDB server that counts in 64 bits', () => {
  it('returns counts as numbers', async () => {
    const server = await startMongoWire(({ name }) =>
      name === 'aggregate' ? found('things', [{ _id: 1, n: BSON.Long.fromNumber(3) }]) : {},
    );
    const store = await openMongoReadModel(server.url, { answerWithinMs: 20_000 });
    try {
      const count = await store.count(things, 'by_status', ['open'], 10);
      expect(count).toBe(3);
    } finally {
      await store.close();
      await server.stop();
    }
  });
});
