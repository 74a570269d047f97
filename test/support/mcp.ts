import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createServer } from '../../mcp/src/server.ts';
import { WalletConnection } from '../../mcp/src/wallet-connection.ts';
import { CredentialStore } from '../../sdk/src/node/credentials.ts';
import { createActiveAgent, createActiveRecipient } from './agents';
import { type Device, registerDevice } from './devices';
import { call } from './http';
import { type SignedUpMerchant, signUpMerchant } from './merchant';
import { type Start } from './pairs';
import { startPaymentDns } from './payments';
import { type TestService } from './service';

export type Called = Readonly<{
  structured: Record<string, any>;
  failure: Record<string, any> | undefined;
  content: any[];
}>;

/** A tool's result, or why it failed. */
export async function useTool(client: Client, name: string, args: unknown = {}): Promise<Called> {
  const answer = await client.callTool({ name, arguments: args as Record<string, unknown> });
  const content = answer.content as any[];
  const structured = (answer.structuredContent ?? {}) as Record<string, any>;
  return { structured, content, failure: answer.isError ? JSON.parse(content[0].text) : undefined };
}

export type McpScene = Readonly<{
  service: TestService;
  merchant: SignedUpMerchant;
  recipientId: string;
  device: Device;
  directory: string;
  /** The agent's credentials file. */
  file: string;
  /** A separate conversation with the same credentials as all others. `answers` are those of a person who is asked. */
  converse(env?: Record<string, string>, answers?: readonly boolean[]): Promise<Client>;
  /** Pairs the agent with the device, for which every conversation with these credentials then acts. */
  connect(): Promise<string>;
  end(): Promise<void>;
}>;

/** A service with a merchant, a recipient, a wallet and an agent that language models act through. */
export async function setMcpScene(start: Start): Promise<McpScene> {
  const { dns, env } = await startPaymentDns();
  const service = await start({ env });
  const merchant = await signUpMerchant(service, { dns });
  const device = await registerDevice(service);
  const agent = await createActiveAgent(service, merchant);
  const { recipientId } = await createActiveRecipient(service, merchant);
  const directory = mkdtempSync(join(tmpdir(), 'svc-mcp-'));
  const file = join(directory, 'credentials.json');
  const credentials = {
    url: service.url,
    audience: 'http://svc.test/v1/agent-auth/token',
    agent_id: agent.agentId,
    key_id: agent.kid,
    private_key: Buffer.from(agent.keyPair.secretKey.slice(0, 32)).toString('base64url'),
  };
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });

  const converse: McpScene['converse'] = async (more = {}, answers) => {
    const wallet = new WalletConnection(new CredentialStore({ SVC_CREDENTIALS: file, ...more }));
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1' }, { capabilities: answers ? { elicitation: {} } : {} });
    if (answers) {
      const rest = [...answers];
      client.setRequestHandler(ElicitRequestSchema, () => ({
        action: 'accept',
        content: { second_order: rest.shift() ?? false },
      }));
    }
    await createServer(wallet).connect(theirs);
    await client.connect(ours);
    return client;
  };
  const connect = async (): Promise<string> => {
    const client = await converse();
    const { structured } = await useTool(client, 'connect_wallet');
    const id = (structured['uri'] as string).match(/prs_\w+/)?.[0] ?? '';
    const body = { code: structured['code'] as string };
    await call(`${service.url}/v1/pairing/sessions/${id}/approve`, { headers: device.headers, body });
    return (await useTool(client, 'connection_status')).structured['connection_id'] as string;
  };
  const end = async (): Promise<void> => {
    await service.stopAndForget();
    await dns.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { service, merchant, recipientId, device, directory, file, converse, connect, end };
}
