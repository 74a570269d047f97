import { EventStoreDBClient, NO_STREAM, type ResolvedEvent } from '@eventstore/db-client';
import { all, newStream, someEvent } from './official-client';
import { spawnEventStoreDb } from './server-process';

describe('the test server in its own process', () => {
  it('serves, freezes, thaws and exits', async () => {
    const server = await spawnEventStoreDb();
    const client = EventStoreDBClient.connectionString(server.url);
    const stream = newStream();
    await client.appendToStream(stream, someEvent(), { expectedRevision: NO_STREAM });

    server.freeze();
    let answered = false;
    const appending = client.appendToStream(stream, someEvent(), { expectedRevision: 0n }).finally(() => {
      answered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(answered).toBe(false);
    server.thaw();
    await appending;

    await expect(all<ResolvedEvent>(client.readStream(stream))).resolves.toHaveLength(2);
    await client.dispose();
    await server.stop();
  });
});
