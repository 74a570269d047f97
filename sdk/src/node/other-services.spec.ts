import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CredentialStore } from './credentials.ts';
import { runSvc } from './cli/run.ts';

const OLD = {
  url: 'https://old.example',
  agent_id: 'agt_1',
  key_id: 'k',
  private_key: 'AAAA',
  connection_token: 'svc_ct_old',
  api_key: 'svc_sk_old',
  session_token: 'svc_ms_old',
};
function fileWith(content: object): string {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-')), 'c.json');
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
  return path;
}

describe('credentials of another service', () => {
  it('does not send what one service gave to another that the environment names', async () => {
    const heard: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      heard.push(request.headers.authorization);
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"ok":false,"error":{"code":"invalid_token","message":"no"}}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const SVC_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const terminal = {
      env: { SVC_URL, SVC_CREDENTIALS: fileWith(OLD) },
      out: () => undefined,
      note: () => undefined,
      ask: async () => undefined,
      signal: new AbortController().signal,
    };
    await runSvc(['payments', 'list'], terminal);
    server.close();
    expect(heard.join()).not.toContain('_old');
  });

  it('keeps no token of another service beside the address of a new one', () => {
    const store = new CredentialStore({ SVC_CREDENTIALS: fileWith(OLD) });
    // What svc-mcp init keeps for a second service.
    store.keep({ url: 'https://new.example', agent_id: 'agt_2', key_id: 'k', private_key: 'BBBB' });
    expect(store.read()).toEqual({ url: 'https://new.example', agent_id: 'agt_2', key_id: 'k', private_key: 'BBBB' });
  });

  it('keeps no connection of another agent', () => {
    const store = new CredentialStore({ SVC_CREDENTIALS: fileWith(OLD) });
    store.keep({ url: OLD.url, agent_id: 'agt_2', key_id: 'k', private_key: 'BBBB' });
    expect(store.read().connection_token).toBeUndefined();
  });
});
