import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { InTurn } from './in-turn';

/** So many requests in so short a time are more than somebody trying something out. */
const BUSY = 20;
const BUSY_MS = 1_000;

/** Bytes of answers that callers have not taken yet, in the whole process. */
export const MOST_UNSENT = 64 * 1024 * 1024;
const LOOK_MS = 20;
/** Above that, for one who takes nothing of its answer. */
const STUCK_MS = 1_000;

/**
 * Who is connected, and for whom we wait. When there is no room for one more, whoever has kept us waiting longest goes: a
 * crowd that only holds connections open cannot keep others out.
 */
export class Connections {
  private readonly open = new Set<Socket>();
  /** No request in work, or the body of one not all here; the longest wait comes first. */
  private readonly awaited = new Set<Socket>();
  /** In work, at most one of each connection. */
  private readonly unanswered = new Set<ServerResponse>();
  private readonly untaken = new WeakMap<Socket, number>();
  private readonly inTurn: InTurn;
  private readonly stuck = new WeakMap<Socket, Readonly<{ bytes: number; since: number }>>();
  private unsent = 0;
  private looked = -Infinity;
  private ending = false;
  private idleMayStay = true;
  private closed = 0;
  /** Requests that are begun later, see `holdBack`. */
  private held: [IncomingMessage, ServerResponse][] | undefined;
  /** Connections that have come so far. */
  come = 0;
  /** Requests that have come so far, and when the last few did. */
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

  /** Requests that wait for the answer before theirs to leave. */
  get waiting(): number {
    return this.inTurn.size;
  }

  /** How many were closed to make room. */
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

  /** Has it answered when its turn comes. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    this.countRequest();
    this.inTurn.add(request, response);
  }

  /** Grows with each request of a connection, and with the end of each. */
  heardFrom(socket: Socket): number {
    return this.inTurn.heardFrom(socket);
  }

  /** Whether a request that came as a whole is still to be answered. */
  owes(socket: Socket): boolean {
    return this.inTurn.owes(socket);
  }

  /** The last thing a connection is told, after all that it was promised. */
  whenAnswered(socket: Socket, action: () => void): void {
    this.inTurn.finally(socket, action);
  }

  /** Begins no request until `letGo`: who has no answer yet does not come again. */
  holdBack(): void {
    this.held ??= [];
  }

  letGo(): void {
    const { held = [] } = this;
    this.held = undefined;
    for (const [request, response] of held) if (!request.socket.destroyed) this.begin(request, response);
  }

  private begin(request: IncomingMessage, response: ServerResponse): void {
    if (this.held !== undefined) return void this.held.push([request, response]);
    const { socket, headers } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    // A body that nobody wanted ends after the answer, when the connection waits for its next request already.
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

  /** Every answer from now on says that it is its connection's last, also to a request that came before. */
  announceEnd(): void {
    this.ending = true;
    for (const response of this.unanswered) response.shouldKeepAlive = false;
  }

  /** Ends those that have no request in work, and from now on each that has none any more. */
  closeIdle(): void {
    this.idleMayStay = false;
    for (const socket of this.awaited) if (!this.inTurn.isBusy(socket)) socket.destroy();
  }

  /** Ends those that were given their whole answer and have taken nothing of it since the last call. */
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
   * Whether so much waits for callers to take it that nobody may be given more. Those who take nothing of theirs are ended then.
   * Looked at now and then: adding up thousands of connections for each request would cost more than the request.
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

  /** Bytes of answers that callers have not taken yet. */
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

  /** Callers talk to us all the time: whoever is silent just now may only be slow. */
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
    // An answer that began before the end was announced could not say that it is the last, and another request may be on its
    // way. A stream ends after that, and nobody would look at its connection again.
    if (!this.idleMayStay) return socket.destroySoon();
    this.awaited.delete(socket);
    this.awaited.add(socket);
  }

  /** The newcomer itself, if everybody else is being answered. */
  private makeRoom(newcomer: Socket): void {
    this.closed += 1;
    const [longest = newcomer] = this.awaited;
    this.awaited.delete(longest);
    this.open.delete(longest);
    longest.destroy();
  }
}

/**
 * Bytes of its answer that a peer has not taken. `writableLength` counts a chunk until all of it is gone, and most answers are
 * one chunk; the handle knows how much of it is left.
 */
export function leftToTake(socket: Socket): number {
  const { _handle: handle } = socket as Socket & Readonly<{ _handle?: Readonly<{ writeQueueSize?: number }> | null }>;
  // Chunks behind the one that is being sent wait in the stream, so both are counted.
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
