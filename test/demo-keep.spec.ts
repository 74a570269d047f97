import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { WaitingAgent } from '../demo/keep';
import { readOptions } from '../demo/options';

/** A service whose first pairing ends at once, as after five wrong codes. */
async function service() {
  let pairings = 0;
  const server = createServer((request, response) => {
    const send = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const { url = '', method } = request;
    if (url === '/v1/agent-auth/token') return send(200, { agent_token: 'svc_at_x', expires_in: 600 });
    if (method === 'POST') {
      pairings += 1;
      const expires_at = new Date(Date.now() + 600_000).toISOString();
      return send(201, {
        pairing_session: { pairing_session_id: `prs_${pairings}`, code: `CODE${pairings}`, expires_at },
      });
    }
    if (url.includes('/prs_1')) return send(410, { ok: false, error: { code: 'invitation_expired', message: 'x' } });
    return send(200, { pairing_session: { status: 'approved' }, connection: {}, connection_token: 'svc_ct_x' });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

describe('the demo', () => {
  it('shows a new code when the old one ends early', async () => {
    const { url, close } = await service();
    const printed: string[] = [];
    const connected = new Promise<void>((resolve) => {
      const print = (line: string): void => {
        printed.push(line);
        if (/connected|expired/.test(line)) resolve();
      };
      const credential = { kid: 'k', agentId: 'agt_1', sign: () => new Uint8Array(64) };
      const agent = { baseUrl: url, credential };
      const { signal } = new AbortController();
      const payee = { recipient_id: 'rcp_1', recipient_version_id: 'rcv_1' };
      void new WaitingAgent({ url, outbox: '', email: '', agent, payee, print, signal }).start();
    });
    await connected;
    close();
    expect(printed).toEqual([
      `  new code     ${url}/wallet/#/connections?pairing=CODE2`,
      expect.stringContaining('connected'),
    ]);
  });

  it.each([
    ['--url', 'http://127.0.0.1:8787/'],
    ['--url', 'http://127.0.0.1:8787', '--base-url', 'http://127.0.0.1:8787/'],
  ])('signs for the audience as the service spells it: %s %s', (...args) => {
    expect(readOptions(args).given).toMatchObject({ url: 'http://127.0.0.1:8787', baseUrl: 'http://127.0.0.1:8787' });
  });
});
