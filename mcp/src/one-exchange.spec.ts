import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CredentialStore } from '../../sdk/src/node/credentials.ts';
import { WalletConnection } from './wallet-connection.ts';

/** A service that returns a connection token once, as the contract says. */
async function service() {
  const state = {
    isExchanged: false,
    isApproved: true,
    isRejected: false,
    pairings: 0,
    hold: undefined as Promise<void> | undefined,
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const { url = '', method } = request;
    if (url === '/v1/agent-auth/token') return send(200, { agent_token: 'svc_at_x', expires_in: 600 });
    if (url === '/v1/connect-invitations/claim')
      return send(201, {
        connect_invitation: { connect_invitation_id: 'inv_1', status: 'claimed' },
        claim_token: 'svc_cl_x',
      });
    if (url.endsWith('/exchange')) {
      const isFirst = !state.isExchanged;
      state.isExchanged = true;
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (isFirst) return send(200, { connection: { connection_id: 'con_1' }, connection_token: 'svc_ct_x' });
      return send(409, { ok: false, error: { code: 'already_exchanged', message: 'x' } });
    }
    if (url === '/v1/pairing/sessions' && method === 'POST') {
      state.pairings += 1;
      return send(201, {
        pairing_session: { pairing_session_id: `prs_${state.pairings}`, status: 'pending', code: 'ABCDEFGH', uri: 'x' },
      });
    }
    if (url.startsWith('/v1/pairing/sessions/prs_1')) {
      await state.hold;
      return send(200, { pairing_session: { status: 'rejected' } });
    }
    if (url.startsWith('/v1/pairing/sessions/prs_2'))
      return send(200, { pairing_session: { status: 'approved' }, connection: {}, connection_token: 'svc_ct_2' });
    // The token was in a response that never arrived.
    if (url.startsWith('/v1/pairing/sessions/prs_3'))
      return send(200, { pairing_session: { status: 'approved' }, connection: {} });
    // It was approved while being read: the next response has the token.
    if (url.startsWith('/v1/pairing/sessions/prs_4')) return send(200, { pairing_session: { status: 'approved' } });
    if (request.headers.authorization === 'Bearer svc_ct_old')
      return send(403, { ok: false, error: { code: 'connection_revoked', message: 'x' } });
    if (url === '/v1/connections/current')
      return send(200, { connection: { connection_id: 'con_1' }, agent: {}, merchant: {}, scopes: [] });
    return send(404, { ok: false, error: { code: 'resource_not_found', message: url } });
  };
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

const walletAt = (url: string, more: Readonly<Record<string, string>> = {}) =>
  new WalletConnection(
    new CredentialStore({
      SVC_CREDENTIALS: join(mkdtempSync(join(tmpdir(), 'svc-')), 'c.json'),
      SVC_URL: url,
      SVC_AGENT_ID: 'agt_1',
      SVC_KEY_ID: 'k',
      SVC_PRIVATE_KEY: Buffer.alloc(32, 7).toString('base64url'),
      ...more,
    }),
  );

describe('one exchange at a time', () => {
  it('is connected after two tools were called at once', async () => {
    const { url, close } = await service();
    const wallet = walletAt(url);
    await wallet.claim('svc_ck_x', ['payment.requests.create']);
    // A model that calls two tools in parallel, or two conversations of one `svc-mcp --http`.
    const both = await Promise.all([wallet.status(), wallet.status()]);
    const after = await wallet.status();
    close();
    expect([...both, after].map(({ status }) => status)).toEqual(['connected', 'connected', 'connected']);
  });

  it('does not forget a new pairing because an old one ends', async () => {
    const { url, close, state } = await service();
    const wallet = walletAt(url);
    await wallet.pair(['payment.requests.create']);
    let go: (() => void) | undefined;
    state.hold = new Promise((resolve) => (go = resolve));
    const old = wallet.status().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await wallet.pair(['payment.requests.create']);
    go!();
    await old;
    const { status } = await wallet.status();
    close();
    expect(status).toBe('connected');
  });

  it.each([
    [3, { status: 'ended', reason: 'already_exchanged' }],
    [4, { status: 'waiting', reason: null }],
  ])('does not wait for a token that was lost on its way (%i)', async (pairing, expected) => {
    const { url, close, state } = await service();
    const wallet = walletAt(url);
    state.pairings = pairing - 1;
    await wallet.pair(['payment.requests.create']);
    const status = await wallet.status();
    close();
    expect(status).toMatchObject(expected);
  });

  it('is still connected when the person says no to a further connection', async () => {
    const { url, close } = await service();
    const wallet = walletAt(url, { SVC_CONNECTION_TOKEN: 'svc_ct_live' });
    await wallet.pair(['payment.requests.create']);
    const after = await wallet.status();
    close();
    expect(after).toMatchObject({
      status: 'connected',
      reason: 'invitation_rejected',
      current: { connection: { connection_id: 'con_1' } },
    });
  });

  it('says why the person is not connected when the connection they had has ended too', async () => {
    const { url, close } = await service();
    const wallet = walletAt(url, { SVC_CONNECTION_TOKEN: 'svc_ct_old' });
    await wallet.pair(['payment.requests.create']);
    const after = await wallet.status();
    close();
    expect(after).toMatchObject({ status: 'ended', reason: 'invitation_rejected' });
  });

  it('is connected although the token cannot be stored, and says once that something failed', async () => {
    const { url, close } = await service();
    const blocked = join(mkdtempSync(join(tmpdir(), 'svc-')), 'file');
    writeFileSync(blocked, '');
    const wallet = walletAt(url, { SVC_CREDENTIALS: join(blocked, 'c.json') });
    await wallet.claim('svc_ck_x', ['payment.requests.create']);
    await expect(wallet.status()).rejects.toThrow();
    const after = await wallet.status();
    close();
    expect(after.status).toBe('connected');
  });

  it('uses a new connection where the environment still names the one that ended', async () => {
    const { url, close } = await service();
    const wallet = walletAt(url, { SVC_CONNECTION_TOKEN: 'svc_ct_old' });
    const before = await wallet.status();
    await wallet.claim('svc_ck_x', ['payment.requests.create']);
    const after = await wallet.status();
    const connectionId = await wallet.connectionId();
    close();
    expect([before.status, after.status, connectionId]).toEqual(['ended', 'connected', 'con_1']);
  });
});
