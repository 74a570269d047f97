import { connect, createServer, type Server } from 'node:net';
import { Log } from '../../../../test/support/eventstoredb/log';
import { alone } from '../../../../test/support/eventstoredb/node-role';
import { startNode, type TestEventStoreDb } from '../../../../test/support/eventstoredb/server';
import { aStream, newEvents } from '../../../../test/support/events';
import { parseConnectionString } from './connection-string';
import { openEventStoreDb } from './eventstoredb-store';

describe('EVENTSTORE_URL', () => {
  it.each([
    ['esdb://[::1]', [{ address: '::1', port: 2113 }]],
    ['esdb://ops:secret@[2001:db8::7]:2114?tls=false', [{ address: '2001:db8::7', port: 2114 }]],
    [
      'esdb://[::1]:1,db.example:2,127.0.0.1',
      [
        { address: '::1', port: 1 },
        { address: 'db.example', port: 2 },
        { address: '127.0.0.1', port: 2113 },
      ],
    ],
  ])('names the nodes of %s', (url, endpoints) => {
    expect(parseConnectionString(url).endpoints).toEqual(endpoints);
  });

  it.each(['esdb://::1', 'esdb://[::1', 'esdb://[::g]:2113', 'esdb://[127.0.0.1]:2113', 'esdb://[::1]x:2113'])(
    'is not understood if it is %s',
    (url) => expect(() => parseConnectionString(url)).toThrow('EVENTSTORE_URL cannot be understood'),
  );

  it.each(['esdb://ops:hidden@[::1]:1?tls=maybe', 'esdb://ops:hidden@[::1]:1?tlsCAFile=/nowhere/ca.pem'])(
    'is checked as a whole, without telling the password: %s',
    async (url) => {
      const error: unknown = await openEventStoreDb(url).catch((reason: unknown) => reason);
      expect(String(error)).toBe('Error: EVENTSTORE_URL cannot be understood');
    },
  );
});

describe('a node of EventStoreDB that has an IPv6 address', () => {
  let server: TestEventStoreDb;
  let door: Server;
  let port: number;
  beforeAll(async () => {
    const role = () => ({
      ...alone('eventstoredb', () => port),
      members: () => [{ endpoint: { host: '::1', port }, role: 'leader' as const, isAlive: true }],
    });
    server = await startNode(new Log(), role);
    door = createServer((socket) => {
      const inner = connect(server.port, '127.0.0.1');
      for (const [from, to] of [
        [socket, inner],
        [inner, socket],
      ] as const)
        from.on('error', () => to.destroy()).pipe(to);
    });
    await new Promise<void>((done) => door.listen(0, '::1', done));
    ({ port } = door.address() as { port: number });
  });
  afterAll(async () => {
    await server.stop();
    await new Promise((done) => door.close(done));
  });

  it.each(['esdb', 'esdb+discover'])('is reached by %s', async (protocol) => {
    const store = await openEventStoreDb(`${protocol}://[::1]:${port}?tls=false&connectionName=test`);
    const [stream, events] = [aStream(), newEvents(2)];
    await expect(store.append(stream, 0, events)).resolves.toMatchObject({ kind: 'appended', version: 2 });
    expect(await store.readStream(stream)).toHaveLength(2);
    await store.close();
  });
});
