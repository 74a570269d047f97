import { MongoClient } from 'mongodb';
import { personalKeyStoreContract } from '../../../../test/contract/personal-key-store.contract';
import { describeWithMongo } from '../../../../test/support/mongodb';
import { newId } from '../../../kernel/ids';
import { MongoPersonalKeyStore } from './mongodb-personal-key-store';

describeWithMongo('the MongoDB key store', (mongoUrl) => {
  const database = `svc_test_${newId('req').slice(-12)}`;
  const url = mongoUrl.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?[^?]*/, `$1/${database}`);

  afterAll(async () => {
    const client = await MongoClient.connect(mongoUrl);
    await client.db(database).dropDatabase();
    await client.close();
  });

  personalKeyStoreContract('MongoDB', () => new MongoPersonalKeyStore(url));
});
