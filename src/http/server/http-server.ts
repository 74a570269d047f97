import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { errorCatalogue, type ErrorCode } from '../../kernel/error-catalogue';
import { refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { pause } from '../../kernel/pause';
import { Connections } from './connections';
import { errorAnswer } from './envelope';
import { capacity } from './capacity';
import { unsentBytes } from './unread-responses';

/** Connections that may wait to be accepted; a burst exceeds Node's default of 511. */
const BACKLOG = 4_096;
/** With no files left, every attempt to connect is an error. */
const WARNING_INTERVAL_MS = 60_000;
const MAX_DRAIN_WAITS = 4;
/** Checks in a row without a new connection before the backlog counts as empty. */
const QUIET_CHECKS = 2;

export type ServerLimits = Readonly<{
  connections: number;
  headersMs: number;
  bodyMs: number;
  /** Between two requests of one connection. */
  keepAliveMs: number;
  /** No data in either direction, as when the response is not read. Longer than the longest long poll. */
  stalledMs: number;
  /**
   * How long a refused peer may take to read the reason. It may never close its own half, so we must not wait for that.
   */
  refusalMs: number;
  checkIntervalMs: number;
  drainWaitMs: number;
  /** At shutdown, how long a peer may read nothing of its response. */
  unreadResponseMs: number;
  drainMs: number;
}>;

const DEFAULT_LIMITS: ServerLimits = {
  connections: capacity.connections,
  headersMs: 10_000,
  bodyMs: 30_000,
  keepAliveMs: 30_000,
  stalledMs: 60_000,
  refusalMs: 2_000,
  checkIntervalMs: 1_000,
  drainWaitMs: 500,
  unreadResponseMs: 1_000,
  drainMs: 5_000,
};

/** The request listener, and the request and response classes if they are not Node's own. */
export type Served = Readonly<{
  listener: RequestListener;
  classes?: Readonly<{ IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse }>;
}>;

/** The listening socket: limits connections, header size and waiting times, and stops without dropping a response. */
export class HttpServer {
  readonly connections: Connections;
  private readonly server: Server;
  private readonly limits: ServerLimits;
  private closed: Promise<void> | undefined;

  constructor({ listener, classes }: Served, changes: Partial<ServerLimits> = {}) {
    this.limits = { ...DEFAULT_LIMITS, ...changes };
    const { connections, headersMs, bodyMs, keepAliveMs, checkIntervalMs, stalledMs } = this.limits;
    this.connections = new Connections(connections, listener);
    const serve: RequestListener = (request, response) => this.connections.serve(request, response);
    this.server = createServer(
      {
        headersTimeout: headersMs,
        requestTimeout: bodyMs,
        keepAliveTimeout: keepAliveMs,
        connectionsCheckingInterval: checkIntervalMs,
        maxHeaderSize: 16 * 1024,
        // The middleware requires it, and answers in the envelope.
        requireHostHeader: false,
        ...classes,
      },
      serve,
    );
    this.server.timeout = stalledMs;
    this.server.on('connection', (socket) => this.connections.add(socket));
    this.server.on('clientError', (error, socket) => this.refuse(error, socket as Socket));
    this.server.on('timeout', (socket: Socket) => void this.endUnlessMoved(socket));
    // Unknown expectations are ignored; Node would refuse them outside the envelope.
    this.server.on('checkExpectation', serve);
  }

  /** `warn` is told when connections cannot be accepted, for want of memory or files; once a minute at most. */
  listen(host: string, port: number, warn: (error: Error) => void = () => undefined): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host, port, backlog: BACKLOG }, () => {
        // From now on an error is about one connection.
        let warnedAt = -Infinity;
        this.server.off('error', reject).on('error', (error) => {
          if (performance.now() - warnedAt < WARNING_INTERVAL_MS) return;
          warnedAt = performance.now();
          warn(error);
        });
        resolve(this.server.address() as AddressInfo);
      });
    });
  }

  /**
   * Accepts no new connections from now on. Those in the backlog are accepted first, or they would be reset. Node
   * accepts one per turn of the event loop, so we wait until none has arrived, or as many as the backlog holds: a slow
   * machine needs more time for them, not fewer of them. Requests are held back meanwhile: a caller that opens a
   * connection for each request would return after every response, and the backlog would never be empty.
   */
  async stopListening(): Promise<void> {
    this.connections.holdBack();
    const limit = this.connections.opened + BACKLOG;
    for (let quiet = 0; quiet < QUIET_CHECKS && this.connections.opened < limit;) {
      const { opened } = this.connections;
      await socketsServed();
      quiet = opened === this.connections.opened ? quiet + 1 : 0;
    }
    // http.Server#close would drop idle connections at once, along with requests on the wire.
    this.closed ??= new Promise<void>((resolve) => NetServer.prototype.close.call(this.server, () => resolve()));
    this.connections.releaseHeld();
  }

  /**
   * Open connections may still deliver a request that is already on its way; each response is its connection's last.
   * Then idle connections are closed and busy ones may finish. Resolves as soon as no connection is left.
   */
  async drain(): Promise<void> {
    if (this.closed === undefined) await this.stopListening();
    this.connections.announceEnd();
    const over = new AbortController();
    void this.closed?.then(() => over.abort());
    // While there is traffic, a request may still be on its way: wait again.
    const { isBusy } = this.connections;
    for (
      let calls = 0, receivedBefore = -1;
      calls < MAX_DRAIN_WAITS && (isBusy || receivedBefore < this.connections.received);
      calls += 1
    ) {
      receivedBefore = this.connections.received;
      await pause(this.limits.drainWaitMs, over.signal);
      // A busy process gets here late, with requests unread in its sockets: they are read first, or they would be lost.
      await socketsServed();
    }
    // Not Node's closeIdleConnections: it treats a connection that never sent a byte as busy.
    this.connections.closeIdle();
    const { unreadResponseMs, drainMs } = this.limits;
    for (let waited = 0; waited < drainMs && !over.signal.aborted; waited += unreadResponseMs) {
      await pause(Math.min(unreadResponseMs, drainMs - waited), over.signal);
      // A busy process may not have sent everything: what can be sent by now is sent before the peer is judged.
      await socketsServed();
      this.connections.closeNonReaders();
    }
    this.connections.closeAll();
  }

  /** Requests that Node could not even parse are answered in the envelope too. */
  private refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (error.code === REQUEST_TIMEOUT) this.refuseLate(error, socket);
    else this.connections.whenAnswered(socket, () => this.sendRefusal(error, socket));
  }

  /**
   * Node's timeout counts from the first byte it read, and its timers run before it reads: after the machine stalled,
   * the whole request may be waiting in the socket. A request behind others may be unread because of them, so its time
   * starts again when they are answered.
   */
  private refuseLate(error: NodeJS.ErrnoException, socket: Socket): void {
    const { connections } = this;
    const progress = connections.requestProgress(socket);
    const unlessHere = async (): Promise<void> => {
      await socketsServed();
      if (connections.requestProgress(socket) === progress) this.sendRefusal(error, socket);
    };
    if (!connections.owes(socket)) return void unlessHere();
    connections.whenAnswered(socket, () => unlessGone(socket, this.limits.bodyMs, () => void unlessHere()));
  }

  /** The socket seems stalled: pending reads and writes go first, and it is closed only if still nothing moved. */
  private async endUnlessMoved(socket: Socket): Promise<void> {
    const { bytesRead } = socket;
    const left = unsentBytes(socket);
    await socketsServed();
    if (socket.bytesRead === bytesRead && unsentBytes(socket) === left) socket.destroy();
    else socket.setTimeout(socket.timeout ?? this.limits.stalledMs);
  }

  private sendRefusal(error: NodeJS.ErrnoException, socket: Socket): void {
    if (!socket.writable) return;
    socket.end(refusalOf(error));
    unlessGone(socket, this.limits.refusalMs, () => socket.destroy());
  }
}

/** Runs the action later, if the connection is still open. */
function unlessGone(socket: Socket, afterMs: number, action: () => void): void {
  const timer = setTimeout(action, afterMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** Waits two event-loop turns: by then everything that had arrived is read, and what could be sent is sent. */
async function socketsServed(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
}

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  [REQUEST_TIMEOUT]: 'request_timeout',
};

/** With the bytes that could not be parsed, if any. */
type ParseError = NodeJS.ErrnoException & Readonly<{ rawPacket?: Buffer }>;

/** The requested surface decides on the envelope. It is known if the unparsable bytes include the request line. */
function pathIn({ rawPacket }: ParseError): string {
  const [, path = ''] = /^[A-Z]+ ([^\s?]{1,200})/.exec(rawPacket?.toString('latin1', 0, 256) ?? '') ?? [];
  return path;
}

function refusalOf(error: ParseError): string {
  const code = CODES[error.code ?? ''] ?? 'malformed_request';
  const requestId = newId('req');
  const body = JSON.stringify(errorAnswer(refuse(code), pathIn(error), requestId, new Date()).body);
  return [
    `HTTP/1.1 ${errorCatalogue[code].status} ${code}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    '',
    body,
  ].join('\r\n');
}
