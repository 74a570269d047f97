import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { InTurn } from './in-turn';

/** This many requests in so short a time are real traffic, not somebody trying something out. */
const BUSY = 20;
const BUSY_MS = 1_000;

/** The most response bytes that callers may leave untaken, in the whole process. */
export const MOST_UNSENT = 64 * 1024 * 1024;
const LOOK_MS = 20;
/** Above that limit, how long a peer may take nothing of its response. */
const STUCK_MS = 1_000;

/**
 * Tracks open connections and those we are waiting for. When there is no room for one more, the connection that has
 * kept us waiting longest is closed: a crowd that only holds connections open cannot keep others out.
 */
export class Connections {
  private readonly open = new Set<Socket>();
  /** No request in flight, or its body still incomplete; the longest wait comes first. */
  private readonly awaited = new Set<Socket>();
  /** In flight, at most one per connection. */
  private readonly unanswered = new Set<ServerResponse>();
  private readonly untaken = new WeakMap<Socket, number>();
  private readonly inTurn: InTurn;
  private readonly stuck = new WeakMap<Socket, Readonly<{ bytes: number; since: number }>>();
  private unsent = 0;
  private looked = -Infinity;
  private ending = false;
  private idleMayStay = true;
  private closed = 0;
  /** Requests that start later, see `holdBack`. */
  private held: [IncomingMessage, ServerResponse][] | undefined;
  /** Connections opened so far. */
  come = 0;
  /** Requests received so far, and when the last few arrived. */
  begun = 0;
  private readonly lastBegun: number[] = [];

  constructor(
    private readonly most: number,
    private readonly listener: RequestListener,
  ) {
    this.inTurn = new InTurn((request, response) => this.begin(request, response));
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
    return this.inTurn.size;
  }

  /** How many connections were closed to make room. */
  get closedForRoom(): number {
    return this.closed;
  }

  add(socket: Socket): void {
    this.come += 1;
    if (this.open.size >= this.most) this.makeRoom(socket);
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
    this.inTurn.add(request, response);
  }

  /** Grows when a request of a connection arrives, and again when it is complete. */
  heardFrom(socket: Socket): number {
    return this.inTurn.heardFrom(socket);
  }

  /** Whether a fully received request is still unanswered. */
  owes(socket: Socket): boolean {
    return this.inTurn.owes(socket);
  }

  /** Runs the action after all responses that the connection is owed. */
  whenAnswered(socket: Socket, action: () => void): void {
    this.inTurn.finally(socket, action);
  }

  /** Starts no request until `letGo`: a caller without a response does not open another connection. */
  holdBack(): void {
    this.held ??= [];
  }

  letGo(): void {
    const { held = [] } = this;
    this.held = undefined;
    for (const [request, response] of held) {
      if (request.socket.destroyed) continue;
      this.awaited.add(request.socket);
      this.begin(request, response);
    }
  }

  /** It is we who keep this caller waiting: it must not be closed to make room. */
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
    for (const socket of this.awaited) if (!this.inTurn.isBusy(socket)) socket.destroy();
  }

  /** Closes connections whose peer was given its whole response and has taken nothing of it since the last call. */
  closeDeaf(): void {
    for (const response of this.unanswered) {
      const { socket } = response;
      if (socket === null || !response.writableEnded) continue;
      const left = leftToTake(socket);
      if (this.untaken.get(socket) === left) socket.destroy();
      else this.untaken.set(socket, left);
    }
  }

  /**
   * Whether so many response bytes are waiting to be taken that nobody may be given more. Peers that take nothing are
   * then disconnected. Sampled: adding up thousands of connections for each request would cost more than the request.
   */
  get areFull(): boolean {
    const now = performance.now();
    if (now - this.looked >= LOOK_MS) {
      this.looked = now;
      this.unsent = this.unsentNow();
      if (this.unsent > MOST_UNSENT) this.endStuck(now);
    }
    return this.unsent > MOST_UNSENT;
  }

  /** Response bytes that callers have not taken yet. */
  unsentNow(): number {
    let sum = 0;
    for (const { socket } of this.unanswered) sum += socket?.writableLength ?? 0;
    return sum;
  }

  private endStuck(now: number): void {
    for (const { socket } of this.unanswered) {
      if (socket === null || socket.writableLength === 0) continue;
      const before = this.stuck.get(socket);
      const bytes = leftToTake(socket);
      if (before?.bytes !== bytes) this.stuck.set(socket, { bytes, since: now });
      else if (now - before.since >= STUCK_MS) socket.destroy();
    }
  }

  closeAll(): void {
    for (const socket of this.open) socket.destroy();
  }

  /** Under steady traffic, a caller that is silent right now may just be slow. */
  get isBusy(): boolean {
    const [first = -Infinity] = this.lastBegun;
    return this.lastBegun.length === BUSY && performance.now() - first < BUSY_MS;
  }

  private countRequest(): void {
    this.begun += 1;
    this.lastBegun.push(performance.now());
    if (this.lastBegun.length > BUSY) this.lastBegun.shift();
  }

  private finish(socket: Socket): void {
    this.inTurn.done(socket);
    if (this.inTurn.isBusy(socket) || !this.open.has(socket)) return;
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

/**
 * Response bytes that a peer has not taken. `writableLength` counts a chunk until all of it is sent, and most responses
 * are one chunk; the handle knows how much of it is left.
 */
export function leftToTake(socket: Socket): number {
  const { _handle: handle } = socket as Socket & Readonly<{ _handle?: Readonly<{ writeQueueSize?: number }> | null }>;
  // Chunks behind the one being sent wait in the stream, so both are counted.
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
