import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startEventStoreDb, type TestEventStoreDb } from '../../../../test/support/eventstoredb/server';
import { Pulse } from './pulse';
import { takeFrom } from './take-from';

const node = { pulse: new Pulse(60_000, () => undefined), lost: new AbortController().signal };

describe('taking events from a read', () => {
  let server: TestEventStoreDb;
  let client: EventStoreDBClient;
  beforeAll(async () => {
    server = await startEventStoreDb();
    client = EventStoreDBClient.connectionString(server.url);
    const text = 'x'.repeat(1000);
    await client.appendToStream(
      'test-1',
      Array.from({ length: 500 }, () => jsonEvent({ type: 'T', data: { text } })),
    );
  });
  afterAll(async () => {
    await client.dispose();
    await server.stop();
  });

  it('ends the call even if it stops early, because the driver waits for calls that nobody ended', async () => {
    // With some sizes everything has arrived when we leave, the call is done, and a part waits in the driver's buffers.
    for (const maxCount of [1, 2, 16, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 80]) {
      const reading = client.readStream('test-1', { maxCount });
      const cancel = jest.spyOn(reading, 'cancel');
      while (reading.readableLength < Math.min(maxCount, 16)) await new Promise(setImmediate);
      for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
      await takeFrom(node, reading, () => false);
      expect(cancel).toHaveBeenCalledTimes(1);
    }
    await expect(client.dispose()).resolves.toBeUndefined();
  });

  it('takes everything if it does not stop early', async () => {
    let taken = 0;
    const reading = client.readStream('test-1');
    const cancel = jest.spyOn(reading, 'cancel');
    await takeFrom(node, reading, () => (taken += 1) > 0);
    expect(taken).toBe(500);
    expect(cancel).not.toHaveBeenCalled();
  });

  it('tolerates a failure that occurs when nobody listens any more', async () => {
    const reading = client.readStream('test-1', { maxCount: 100 });
    await takeFrom(node, reading, () => false);
    expect(() => reading.emit('error', new Error('late'))).not.toThrow();
  });
});
