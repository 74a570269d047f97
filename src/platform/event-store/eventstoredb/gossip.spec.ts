import { createServer, type Socket } from 'node:net';
import { credentials } from '@grpc/grpc-js';
import { startEventStoreDb, type TestEventStoreDb } from '../../../../test/support/eventstoredb/server';
import { eventually } from '../../../../test/support/eventually';
import { standStill } from '../../../../test/support/stand-still';
import { askMembers } from './gossip';

const PATIENCE_MS = 3_000;
const ask = (port: number, withinMs: number) =>
  askMembers({ address: '127.0.0.1', port }, credentials.createInsecure(), withinMs);

describe('asking a node for its members', () => {
  let server: TestEventStoreDb;
  beforeAll(async () => void (server = await startEventStoreDb()));
  afterAll(() => server.stop());

  it('succeeds even if the process was suspended for longer than the timeout', async () => {
    const asked = ask(Number(new URL(server.url).port), PATIENCE_MS);
    standStill(PATIENCE_MS + 100);
    expect(await asked).toHaveLength(1);
  });

  it('gives up on a node that accepts the request and never answers', async () => {
    const taken: Socket[] = [];
    const silent = createServer((socket) => taken.push(socket.resume())).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    await expect(ask(port, 300)).rejects.toThrow('CANCELLED');
    // Nothing is left open: during a long outage a node is asked every second.
    await eventually(
      () => Promise.resolve(taken),
      (sockets) => sockets.length > 0 && sockets.every(({ destroyed }) => destroyed),
      'the end of the connection',
    );
    silent.close();
  });
});
