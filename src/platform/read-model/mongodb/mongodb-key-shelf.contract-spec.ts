import { MongoClient } from 'mongodb';
import { keyShelfContract } from '../../../../test/contract/key-shelf.contract';
import { describeWithMongo } from '../../../../test/support/mongodb';
import { newId } from '../../../kernel/ids';
import { MongoKeyShelf } from './mongodb-key-shelf';

describeWithMongo('the MongoDB key shelf', (mongoUrl) => {
  const database = `svc_test_${newId('req').slice(-12)}`;
  const url = mongoUrl.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?[^?]*/, `$1/${database}`);

  afterAll(async () => {
    const client = await MongoClient.connect(mongoUrl);
    await client.db(database).dropDatabase();
    await client.close();
  });

  keyShelfContract('MongoDB', () => new MongoKeyShelf(url));
});
