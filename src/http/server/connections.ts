import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';

/** So many requests in so short a time are more than somebody trying something out. */
const BUSY = 20;
const BUSY_MS = 1_000;

/**
 * Who is connected, and for whom we wait. When there is no room for one more, whoever has kept us waiting longest goes: a
 * crowd that only holds connections open cannot keep others out.
 */
export class Connections {
  private readonly open = new Set<Socket>();
  /** No request in work, or the body of one not all here; the longest wait comes first. */
  private readonly awaited = new Set<Socket>();
  /** Requests in work; a peer may send the next before it has the answer to the last. */
  private readonly inWork = new WeakMap<Socket, number>();
  private readonly unanswered = new Set<ServerResponse>();
  private readonly untaken = new WeakMap<Socket, number>();
  private ending = false;
  private idleMayStay = true;
  private closed = 0;
  /** Requests that have come so far, and when the last few did. */
  begun = 0;
  private readonly lastBegun: number[] = [];

  constructor(private readonly most: number) {}

  get size(): number {
    return this.open.size;
  }

  /** How many were closed to make room. */
  get closedForRoom(): number {
    return this.closed;
  }

  add(socket: Socket): void {
    if (this.open.size >= this.most) this.makeRoom(socket);
    if (socket.destroyed) return;
    this.open.add(socket);
    this.awaited.add(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      this.awaited.delete(socket);
    });
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket, headers } = request;
    this.countRequest();
    this.inWork.set(socket, this.workOn(socket) + 1);
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (hasBody) request.once('end', () => this.awaited.delete(socket));
    else this.awaited.delete(socket);
    if (this.ending) response.shouldKeepAlive = false;
    this.unanswered.add(response);
    response.once('close', () => {
      this.unanswered.delete(response);
      this.finish(socket);
    });
  }

  /** Every answer from now on says that it is its connection's last, also to a request that came before. */
  announceEnd(): void {
    this.ending = true;
    for (const response of this.unanswered) response.shouldKeepAlive = false;
  }

  /** Ends those that have no request in work, and from now on each that has none any more. */
  closeIdle(): void {
    this.idleMayStay = false;
    for (const socket of this.awaited) if (this.workOn(socket) === 0) socket.destroy();
  }

  /** Ends those that were given their whole answer and have taken nothing of it since the last call. */
  closeDeaf(): void {
    for (const response of this.unanswered) {
      const { socket } = response;
      if (socket === null || !response.writableEnded) continue;
      if (this.untaken.get(socket) === socket.writableLength) socket.destroy();
      else this.untaken.set(socket, socket.writableLength);
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
    const left = this.workOn(socket) - 1;
    this.inWork.set(socket, left);
    if (left > 0 || !this.open.has(socket)) return;
    // An answer that began before the end was announced could not say that it is the last, and another request may be on its
    // way. A stream ends after that, and nobody would look at its connection again.
    if (!this.idleMayStay) return socket.destroySoon();
    this.awaited.delete(socket);
    this.awaited.add(socket);
  }

  private workOn(socket: Socket): number {
    return this.inWork.get(socket) ?? 0;
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
