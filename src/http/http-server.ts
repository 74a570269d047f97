import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { errorCatalogue, type ErrorCode } from '../kernel/error-catalogue';
import { refuse } from '../kernel/errors';
import { newId } from '../kernel/ids';
import { pause } from '../kernel/pause';
import { errorAnswer } from './envelope';

/** Connections that may knock at the same moment; Node's own 511 turns a burst away. */
const BACKLOG = 4_096;
const HEADERS_MS = 10_000;
const BODY_MS = 30_000;
const KEEP_ALIVE_MS = 30_000;
const LAST_CALL_MS = 500;
const DRAIN_MS = 8_000;

/** The listening socket: bounded in header size and patience, and able to stop without dropping an answer. */
export class HttpServer {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(listener: RequestListener) {
    this.server = createServer(
      {
        headersTimeout: HEADERS_MS,
        requestTimeout: BODY_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: 1_000,
        maxHeaderSize: 16 * 1024,
        // Asked for by the shell, which answers in the envelope.
        requireHostHeader: false,
      },
      listener,
    );
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.server.on('clientError', refuseConnection);
    // An expectation we do not know is none of our business; Node would refuse it outside the envelope.
    this.server.on('checkExpectation', listener);
  }

  listen(host: string, port: number): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host, port, backlog: BACKLOG }, () => resolve(this.server.address() as AddressInfo));
    });
  }

  /**
   * No new connections from now on. Open ones may still bring a request that is already on its way; each answer is its
   * connection's last. What is idle after that is closed, what is busy may finish.
   */
  async drain(): Promise<void> {
    // http.Server#close would drop idle connections at once, and with them requests on the wire.
    const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(this.server, () => resolve()));
    await pause(LAST_CALL_MS);
    this.server.closeIdleConnections();
    const tooLate = new AbortController();
    await Promise.race([closed, pause(DRAIN_MS, tooLate.signal)]);
    tooLate.abort();
    for (const socket of this.sockets) socket.destroy();
  }
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What Node could not even parse is answered in the envelope too. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const code = CODES[error.code ?? ''] ?? 'malformed_request';
  const requestId = newId('req');
  const body = JSON.stringify(errorAnswer(refuse(code), '', requestId, new Date()).body);
  socket.end(
    [
      `HTTP/1.1 ${errorCatalogue[code].status} ${code}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      '',
      body,
    ].join('\r\n'),
  );
}
