import { AgentClient } from './agent-client.ts';
import { newAgentKey } from './agent-key.ts';
import { SvcError } from './errors.ts';
import { type Scripted, scriptedFetch, type Sent } from './scripted-fetch.fixtures.ts';

export const baseUrl = 'https://svc.example';
export const TOKEN = '/v1/agent-auth/token';
export const key = newAgentKey();
const credential = { kid: 'key-1', agentId: 'agt_1', secretKey: key.secretKey };

/** Hands out agent tokens svc_at_1, svc_at_2 … and leaves the rest to the script. */
export function setUp(answer: (sent: Sent, count: number) => Scripted | Promise<Scripted>, token?: () => Scripted) {
  let bought = 0;
  const counts = new Map<string, number>();
  const scripted = scriptedFetch((sent) => {
    if (sent.path === TOKEN) {
      bought += 1;
      return token?.() ?? { body: { ok: true, agent_token: `svc_at_${bought}`, expires_in: 600 } };
    }
    const count = (counts.get(sent.path) ?? 0) + 1;
    counts.set(sent.path, count);
    return answer(sent, count);
  });
  return scripted;
}

export const agentWith = (fetch: typeof globalThis.fetch, more: object = {}) =>
  new AgentClient({ baseUrl, fetch, credential, connectionToken: 'svc_ct_1', ...more });

export const codeOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error instanceof SvcError ? error.code : error;
  }
  return 'no refusal';
};
