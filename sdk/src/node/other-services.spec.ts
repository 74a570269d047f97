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
  audience: 'https://old.example/v1/agent-auth/token',
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

const terminalWith = (env: Readonly<Record<string, string>>, notes: string[] = []) => ({
  env,
  out: () => undefined,
  note: (text: string) => void notes.push(text),
  ask: async () => undefined,
  signal: new AbortController().signal,
});

/** Refuses every token, as if the session had ended. */
async function refusingService() {
  const heard: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers.authorization);
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"ok":false,"error":{"code":"invalid_token","message":"no"}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

describe('credentials of another service', () => {
  it('does not send what one service gave to another that the environment names', async () => {
    const { heard, url, close } = await refusingService();
    await runSvc(['payments', 'list'], terminalWith({ SVC_URL: url, SVC_CREDENTIALS: fileWith(OLD) }));
    close();
    expect(heard.join()).not.toContain('_old');
  });

  it('uses the connection that the environment names, whatever the file holds of another service', async () => {
    const { heard, url, close } = await refusingService();
    const env = { SVC_URL: url, SVC_CONNECTION_TOKEN: 'svc_ct_new', SVC_CREDENTIALS: fileWith(OLD) };
    await runSvc(['payments', 'list'], terminalWith(env));
    close();
    expect(heard).toEqual(['Bearer svc_ct_new']);
  });

  it('keeps no token and no audience of another service beside the address of a new one', () => {
    const store = new CredentialStore({ SVC_CREDENTIALS: fileWith(OLD) });
    // What svc-mcp init keeps for a second service.
    store.keep({ url: 'https://new.example', agent_id: 'agt_2', key_id: 'k', private_key: 'BBBB' });
    expect(store.read()).toEqual({ url: 'https://new.example', agent_id: 'agt_2', key_id: 'k', private_key: 'BBBB' });
  });

  it('does not turn an agent’s key to another service by signing in there', async () => {
    const { connection_token: _c, api_key: _a, session_token: _s, ...agent } = OLD;
    const path = fileWith(agent);
    const notes: string[] = [];
    await runSvc(['login'], terminalWith({ SVC_URL: 'http://127.0.0.1:1', SVC_CREDENTIALS: path }, notes));
    expect(notes.join()).toContain('holds an agent’s credentials for https://old.example');
  });

  it('forgets no session but the one that it ends', async () => {
    const { heard, url, close } = await refusingService();
    const path = fileWith(OLD);
    await runSvc(['logout'], terminalWith({ SVC_URL: url, SVC_SESSION_TOKEN: 'svc_ms_new', SVC_CREDENTIALS: path }));
    close();
    expect(heard).toEqual(['Bearer svc_ms_new']);
    expect(new CredentialStore({ SVC_CREDENTIALS: path }).read()).toEqual(OLD);
  });

  it('keeps no connection of another agent', () => {
    const store = new CredentialStore({ SVC_CREDENTIALS: fileWith(OLD) });
    store.keep({ url: OLD.url, agent_id: 'agt_2', key_id: 'k', private_key: 'BBBB' });
    expect(store.read().connection_token).toBeUndefined();
  });
});
