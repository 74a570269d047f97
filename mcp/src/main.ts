import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CredentialStore } from '../../sdk/src/node/credentials.ts';
import { listenHttp } from './http.ts';
import { init } from './init.ts';
import { createServer } from './server.ts';
import { sign } from './sign.ts';
import { WalletConnection } from './wallet-connection.ts';

const HELP = `svc-mcp: lets a language model ask people for payments. People approve in their own wallet.

  svc-mcp                    speaks MCP over standard input and output
  svc-mcp --http <port>      speaks MCP over HTTP at http://127.0.0.1:<port>/mcp
  svc-mcp init               creates a key, helps you register it, and prints the configuration for common clients
      --url <address> --agent-id <agt_…> --key-id <name>
      --file <saved.json>    imports the file that the portal saved
  svc-mcp sign <challenge>   signs a challenge from the portal with the stored key
  svc-mcp --help

Credentials come from SVC_URL, SVC_AGENT_ID, SVC_KEY_ID, SVC_PRIVATE_KEY, SVC_CONNECTION_TOKEN and SVC_API_KEY, or from a JSON file
with mode 0600 (SVC_CREDENTIALS, otherwise svc/credentials.json in your configuration folder).
`;

const err = (text: string): void => void process.stderr.write(`${text}\n`);

async function main(): Promise<number | undefined> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      http: { type: 'string' },
      url: { type: 'string' },
      'agent-id': { type: 'string' },
      'key-id': { type: 'string' },
      file: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const [command, ...rest] = positionals;
  const store = new CredentialStore(process.env);
  switch (command) {
    case undefined:
      break;
    case 'init': {
      const options = { url: values.url, agentId: values['agent-id'], keyId: values['key-id'], file: values.file };
      const here: readonly [string, ...string[]] = [process.execPath, resolve(process.argv[1] ?? 'svc-mcp')];
      await init(store, options, { input: process.stdin, output: process.stdout }, here);
      return 0;
    }
    case 'sign':
      process.stdout.write(`${sign(store, rest[0] ?? '')}\n`);
      return 0;
    default:
      err(`unknown command: ${command}\n`);
      err(HELP);
      return 2;
  }
  // Refuse a file that others can read now, not in the middle of a conversation.
  store.read();
  const wallet = new WalletConnection(store);
  if (values.http === undefined) {
    await createServer(wallet).connect(new StdioServerTransport());
    return undefined;
  }
  const port = Number(values.http);
  if (!/^\d{1,5}$/.test(values.http) || port > 65_535) {
    err('--http needs a port from 0 to 65535');
    return 2;
  }
  const address = (await listenHttp(wallet, port)).address();
  err(`svc-mcp listens on http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}/mcp`);
  return undefined;
}

main().then(
  (code) => {
    if (code !== undefined) process.exitCode = code;
  },
  (error: unknown) => {
    err(`svc-mcp: ${error instanceof Error ? error.message : 'failed'}`);
    process.exitCode = 1;
  },
);
