import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { CredentialStore } from '../../sdk/src/node/credentials.ts';
import { createServer } from './server.ts';
import { WalletConnection } from './wallet-connection.ts';

describe('a service that does not answer', () => {
  it('is not asked for its error catalogue too: a client would give up before the second time-out', async () => {
    const asked: string[] = [];
    const service = createHttpServer((request) => {
      asked.push(request.url ?? '');
      request.socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const store = new CredentialStore({
      SVC_CREDENTIALS: join(mkdtempSync(join(tmpdir(), 'svc-')), 'c.json'),
      SVC_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      SVC_CONNECTION_TOKEN: 'svc_ct_x',
    });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const server = createServer(new WalletConnection(store));
    const client = new Client({ name: 'test', version: '1' });
    await Promise.all([server.connect(ours), client.connect(theirs)]);
    const { content } = await client.callTool({ name: 'list_payees', arguments: {} });
    await client.close();
    service.close();
    const [{ text = '' } = {}] = content as readonly { text?: string }[];
    expect(JSON.parse(text)).toMatchObject({ code: 'service_unreachable', safe_to_repeat: true });
    expect(asked.filter((url) => url === '/v1/errors')).toEqual([]);
  });
});
