import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CredentialStore } from '../../sdk/src/node/credentials.ts';
import { WalletConnection } from './wallet-connection.ts';

const OLD = {
  url: 'https://old.example',
  audience: 'https://old.example/v1/agent-auth/token',
  agent_id: 'agt_1',
  key_id: 'k',
  private_key: Buffer.alloc(32, 7).toString('base64url'),
  connection_token: 'svc_ct_old',
  api_key: 'svc_sk_old',
};

/** A service that pairs at once, and keeps everything it is sent. */
async function newService() {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, claims = ''] = Buffer.concat(chunks).toString().split('.');
      heard.push(JSON.stringify(request.headers), Buffer.from(claims, 'base64url').toString());
      const pairing_session = { pairing_session_id: 'prs_1', status: 'approved', code: 'ABCDEFGH', uri: 'x' };
      const answers: Readonly<Record<string, object>> = {
        '/v1/agent-auth/token': { agent_token: 'svc_at_x', expires_in: 600 },
        '/v1/pairing/sessions': { pairing_session },
        '/v1/pairing/sessions/prs_1': { pairing_session, connection: {}, connection_token: 'svc_ct_new' },
        '/v1/connections/current': { connection: { connection_id: 'con_1' }, agent: {}, merchant: {}, scopes: [] },
      };
      const answer = answers[(request.url ?? '').split('?')[0] ?? ''];
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

describe('credentials of another service than the environment names', () => {
  it('are sent to none but their own, and stay as they are', async () => {
    const { heard, url, close } = await newService();
    const path = join(mkdtempSync(join(tmpdir(), 'svc-')), 'c.json');
    writeFileSync(path, JSON.stringify(OLD), { mode: 0o600 });
    const wallet = new WalletConnection(new CredentialStore({ SVC_URL: url, SVC_CREDENTIALS: path }));
    const before = await wallet.status();
    await wallet.pair(['payment.requests.create']);
    const after = await wallet.status();
    const { hasApiKey } = wallet;
    close();
    expect([before.status, after.status, hasApiKey]).toEqual(['none', 'connected', false]);
    expect(heard.join()).toContain('svc_ct_new');
    expect(heard.join()).not.toMatch(/_old|old\.example/);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(OLD);
  });
});
