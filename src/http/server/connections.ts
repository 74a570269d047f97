import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { PipelinedRequests } from './pipelined-requests';
import { unsentBytes, UnreadResponses } from './unread-responses';

/** This many requests within BUSY_WINDOW_MS are real traffic, not somebody experimenting. */
const BUSY_REQUESTS = 20;
const BUSY_WINDOW_MS = 1_000;

/**
 * Tracks open connections and those we are waiting for. When there is no room for one more, the connection that has
 * kept us waiting longest is closed: idle connections cannot keep others out.
 */
export class Connections {
  private readonly open = new Set<Socket>();
  /** No request in flight, or its body still incomplete; the longest wait comes first. */
  private readonly awaited = new Set<Socket>();
  /** In flight, at most one per connection. */
  private readonly unanswered = new Set<ServerResponse>();
  private readonly unsentBefore = new WeakMap<Socket, number>();
  private readonly pipeline: PipelinedRequests;
  readonly unread = new UnreadResponses(this.unanswered);
  private ending = false;
  private idleMayStay = true;
  private closed = 0;
  /** Requests that start later, see `holdBack`. */
  private held: [IncomingMessage, ServerResponse][] | undefined;
  /** Connections opened so far. */
  opened = 0;
  /** Requests received so far, and when the last few arrived. */
  received = 0;
  private readonly lastReceivedAt: number[] = [];

  constructor(
    private readonly maxConnections: number,
    private readonly listener: RequestListener,
  ) {
    this.pipeline = new PipelinedRequests((request, response) => this.begin(request, response));
  }

  get size(): number {
    return this.open.size;
  }

  /** Requests that are being answered. */
  get inWork(): number {
    return this.unanswered.size;
  }

  /** Requests that wait for the previous response on their connection to leave. */
  get waiting(): number {
    return this.pipeline.size;
  }

  /** How many connections were closed to make room. */
  get closedForRoom(): number {
    return this.closed;
  }

  add(socket: Socket): void {
    this.opened += 1;
    if (this.open.size >= this.maxConnections) this.makeRoom(socket);
    if (socket.destroyed) return;
    this.open.add(socket);
    this.awaited.add(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      this.awaited.delete(socket);
    });
  }

  /** Answers the request when its turn comes. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    this.countRequest();
    this.pipeline.add(request, response);
  }

  /** Grows when a request of a connection arrives, and again when it is complete. */
  requestProgress(socket: Socket): number {
    return this.pipeline.requestProgress(socket);
  }

  /** Whether a fully received request is still unanswered. */
  owes(socket: Socket): boolean {
    return this.pipeline.owes(socket);
  }

  /** Runs the action after all responses that the connection is owed. */
  whenAnswered(socket: Socket, action: () => void): void {
    this.pipeline.finally(socket, action);
  }

  /** Starts no request until `releaseHeld`: a caller without a response does not open another connection. */
  holdBack(): void {
    this.held ??= [];
  }

  releaseHeld(): void {
    const { held = [] } = this;
    this.held = undefined;
    for (const [request, response] of held) {
      if (request.socket.destroyed) continue;
      this.awaited.add(request.socket);
      this.begin(request, response);
    }
  }

  /** The caller waits for us, so its connection must not be closed to make room. */
  private hold(request: IncomingMessage, response: ServerResponse): void {
    this.awaited.delete(request.socket);
    this.held?.push([request, response]);
  }

  private begin(request: IncomingMessage, response: ServerResponse): void {
    if (this.held !== undefined) return this.hold(request, response);
    const { socket, headers } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    // An unread body ends after the response, when the connection already waits for its next request.
    if (hasBody) request.once('end', () => this.unanswered.has(response) && this.awaited.delete(socket));
    else this.awaited.delete(socket);
    if (this.ending) response.shouldKeepAlive = false;
    this.unanswered.add(response);
    response.once('close', () => {
      this.unanswered.delete(response);
      this.finish(socket);
    });
    this.listener(request, response);
  }

  /** From now on every response says that it is its connection's last, including those already in flight. */
  announceEnd(): void {
    this.ending = true;
    for (const response of this.unanswered) response.shouldKeepAlive = false;
  }

  /** Closes connections without a request in flight, and from now on each one that becomes idle. */
  closeIdle(): void {
    this.idleMayStay = false;
    for (const socket of this.awaited) if (!this.pipeline.isBusy(socket)) socket.destroy();
  }

  /** Closes connections whose response is complete and whose peer has read nothing of it since the last call. */
  closeNonReaders(): void {
    for (const response of this.unanswered) {
      const { socket } = response;
      if (socket === null || !response.writableEnded) continue;
      const left = unsentBytes(socket);
      if (this.unsentBefore.get(socket) === left) socket.destroy();
      else this.unsentBefore.set(socket, left);
    }
  }

  closeAll(): void {
    for (const socket of this.open) socket.destroy();
  }

  /** Under steady traffic, a caller that is silent right now may just be slow. */
  get isBusy(): boolean {
    const [first = -Infinity] = this.lastReceivedAt;
    return this.lastReceivedAt.length === BUSY_REQUESTS && performance.now() - first < BUSY_WINDOW_MS;
  }

  private countRequest(): void {
    this.received += 1;
    this.lastReceivedAt.push(performance.now());
    if (this.lastReceivedAt.length > BUSY_REQUESTS) this.lastReceivedAt.shift();
  }

  private finish(socket: Socket): void {
    this.unread.forget(socket);
    this.pipeline.done(socket);
    if (this.pipeline.isBusy(socket) || !this.open.has(socket)) return;
    // A response that began before `announceEnd` could not say that it is the last, so another request may be on its
    // way. A stream ends after `closeIdle`, and nothing would look at its connection again.
    if (!this.idleMayStay) return socket.destroySoon();
    this.awaited.delete(socket);
    this.awaited.add(socket);
  }

  /** Closes the newcomer itself if every other connection is being served. */
  private makeRoom(newcomer: Socket): void {
    this.closed += 1;
    const [longest = newcomer] = this.awaited;
    this.awaited.delete(longest);
    this.open.delete(longest);
    longest.destroy();
  }
}
