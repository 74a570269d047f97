import { BSON } from 'mongodb';
import { found, startMongoWire } from '../../../../test/support/mongodb-wire/server';
import { openMongoReadModel } from './mongodb-read-model';

describe('bookmarks in MongoDB on a log that was restored', () => {
  it('are lowered to the end of the log, and those of set-aside events to twice that position', async () => {
    const marks = { beyond: 900, within: 9, 'red#aside-0': 19, 'red#aside-1': 21 };
    const stored = Object.entries(marks).map(([name, position]) => ({
      _id: `bookmark of ${name}`,
      position: BSON.Long.fromNumber(position),
    }));
    const server = await startMongoWire(({ name, body }) => {
      if (name === 'listCollections') return found('$cmd.listCollections', []);
      if (name !== 'find') return { n: 1, nModified: 1 };
      return found('read_model_state', 'position' in (body['filter'] as object) ? stored : []);
    });
    const store = await openMongoReadModel(server.url, { answerWithinMs: 20_000 });
    try {
      await store.reset('second', 10n);
    } finally {
      await store.close();
      await server.stop();
    }
    const updates = server.commands
      .filter(({ name }) => name === 'update')
      .flatMap(
        ({ body }) => body['updates'] as { q: { _id: string }; u: { $set: { position?: bigint | BSON.Long } } }[],
      );
    const moved = updates.flatMap(({ q, u }) =>
      u.$set.position === undefined ? [] : [`${q._id} ${u.$set.position.toString()}`],
    );
    expect(moved).toEqual(['bookmark of beyond 10', 'bookmark of red#aside-1 20']);
  });
});
