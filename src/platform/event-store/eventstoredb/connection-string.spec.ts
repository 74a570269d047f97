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
  // As IPv6 writes 127.0.0.1: it is reached also where the machine has no IPv6 network.
  const host = '::ffff:127.0.0.1';
  let server: TestEventStoreDb;
  beforeAll(async () => {
    server = await startNode(new Log(), (port) => ({
      ...alone('eventstoredb', port),
      members: () => [{ endpoint: { host, port: port() }, role: 'leader' as const, isAlive: true }],
    }));
  });
  afterAll(() => server.stop());

  it.each(['esdb', 'esdb+discover'])('is reached by %s', async (protocol) => {
    const store = await openEventStoreDb(`${protocol}://[${host}]:${server.port}?tls=false&connectionName=test`);
    const [stream, events] = [aStream(), newEvents(2)];
    await expect(store.append(stream, 0, events)).resolves.toMatchObject({ kind: 'appended', version: 2 });
    expect(await store.readStream(stream)).toHaveLength(2);
    await store.close();
  });
});
