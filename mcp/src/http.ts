import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createServer } from './server.ts';
import { type WalletConnection } from './wallet-connection.ts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const MAX_CONVERSATIONS = 100;

/**
 * Streamable HTTP at `/mcp`, for programs on this machine. A page in a browser could reach it too, so a foreign Origin
 * is refused, and so is a foreign Host, because a domain that resolves here would get around that (DNS rebinding).
 */
export function listenHttp(wallet: WalletConnection, port: number): Promise<Server> {
  const conversations = new Map<string, StreamableHTTPServerTransport>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (
      !isOurs(request.headers.host) ||
      (request.headers.origin !== undefined && !isOurOrigin(request.headers.origin))
    ) {
      return refuse(response, 403, 'only programs on this machine may call this server');
    }
    if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp')
      return refuse(response, 404, 'the path is /mcp');
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? conversations.get(id) : undefined;
    if (id !== undefined && known === undefined) return refuse(response, 404, 'this session has ended');
    await (known ?? (await opened())).handleRequest(request, response);
  };

  const opened = async (): Promise<StreamableHTTPServerTransport> => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => {
        conversations.set(session, transport);
        // Evict the oldest conversation: a client that finds its session ended opens another.
        const [oldest] = conversations;
        if (conversations.size > MAX_CONVERSATIONS && oldest) {
          conversations.delete(oldest[0]);
          void oldest[1].close();
        }
      },
    });
    transport.onclose = () => {
      if (transport.sessionId) conversations.delete(transport.sessionId);
    };
    await createServer(wallet).connect(transport);
    return transport;
  };

  const server = createHttpServer((request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'the call failed');
      else response.destroy();
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

const isOurs = (host: string | undefined): boolean => LOOPBACK.includes((host ?? '').replace(/:\d+$/, ''));

function isOurOrigin(origin: string): boolean {
  try {
    return LOOPBACK.includes(new URL(origin).hostname);
  } catch {
    return false;
  }
}

const refuse = (response: ServerResponse, status: number, message: string): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
