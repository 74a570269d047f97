import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';

/** Requests that one connection may pipeline before we stop reading from it. */
const SENT_AHEAD = 8;
/** In the whole process. Beyond it, the connection that has been paused longest is closed. */
const MOST_WAITING = 8_192;

type Asked = readonly [request: IncomingMessage, response: ServerResponse];

/** The requests of one connection: the one in flight, and those that arrived meanwhile. */
type Line = {
  work: Asked | undefined;
  waiting: Asked[];
  isPaused: boolean;
  /** How many have arrived, and the newest one, which may be incomplete. */
  asked: number;
  newest: IncomingMessage | undefined;
  last: (() => void) | undefined;
};

/**
 * Serves the requests of one connection one at a time: a peer may pipeline, but we start a request only when the
 * previous response has left. So a peer that does not read gets one response and no more, and no response is ever
 * queued behind another, where Node would not report that its connection is gone.
 */
export class InTurn {
  private readonly lines = new WeakMap<Socket, Line>();
  /** Connections we have stopped reading from, the longest paused first. */
  private readonly crowded = new Set<Socket>();
  private waiting = 0;

  constructor(private readonly begin: RequestListener) {}

  /** Whether a request of this connection is in flight. */
  isBusy(socket: Socket): boolean {
    return this.lines.get(socket)?.work !== undefined;
  }

  /** How many requests wait for the response before theirs. */
  get size(): number {
    return this.waiting;
  }

  /** Whether a fully received request is in flight. */
  owes(socket: Socket): boolean {
    return owesAnswer(this.lines.get(socket));
  }

  /** Grows when a request arrives, and again when it is complete. */
  heardFrom(socket: Socket): number {
    const { asked = 0, newest } = this.lines.get(socket) ?? {};
    return 2 * asked - (newest?.complete === false ? 1 : 0);
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const line = this.lines.get(socket) ?? this.lineOf(socket);
    line.asked += 1;
    line.newest = request;
    if (line.work === undefined) return this.start(line, request, response);
    line.waiting.push([request, response]);
    this.waiting += 1;
    if (line.waiting.length >= SENT_AHEAD) this.pause(socket, line);
    const [longest = socket] = this.crowded;
    if (this.waiting > MOST_WAITING) longest.destroy();
  }

  /** Runs the action once all fully received requests are answered; an incomplete request is not waited for. */
  finally(socket: Socket, action: () => void): void {
    const line = this.lines.get(socket);
    if (line !== undefined && owesAnswer(line)) line.last = action;
    else action();
  }

  /** Call this when the response has left, or no longer can. */
  done(socket: Socket): void {
    const line = this.lines.get(socket);
    if (line === undefined) return;
    if (line.waiting.length === 0) this.rest(line);
    // In a later turn: a long queue must not be processed in one go while everybody else waits.
    else setImmediate(() => this.next(socket, line));
  }

  private lineOf(socket: Socket): Line {
    const line: Line = {
      work: undefined,
      waiting: [],
      isPaused: false,
      asked: 0,
      newest: undefined,
      last: undefined,
    };
    this.lines.set(socket, line);
    socket.once('close', () => this.forget(socket, line));
    // Reading a body, and the end of a response, make Node resume the socket.
    socket.on('resume', () => line.isPaused && socket.pause());
    return line;
  }

  private start(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.work = [request, response];
    this.begin(request, response);
  }

  private rest(line: Line): void {
    line.work = undefined;
    if (line.newest?.complete === true) line.newest = undefined;
    this.settle(line);
  }

  private settle(line: Line): void {
    const { last } = line;
    if (last === undefined || owesAnswer(line)) return;
    line.last = undefined;
    last();
  }

  private next(socket: Socket, line: Line): void {
    const [first] = line.waiting;
    // After a connection's last response Node assigns the socket to no other: the waiting requests end with it.
    if (socket.destroyed || (first !== undefined && first[1].socket === null)) return;
    const asked = line.waiting.shift();
    if (asked === undefined) return this.rest(line);
    this.waiting -= 1;
    if (line.isPaused && line.waiting.length < SENT_AHEAD) {
      line.isPaused = false;
      this.crowded.delete(socket);
      socket.resume();
    }
    this.start(line, ...asked);
    this.settle(line);
  }

  private pause(socket: Socket, line: Line): void {
    if (line.isPaused) return;
    line.isPaused = true;
    this.crowded.add(socket);
    socket.pause();
  }

  private forget(socket: Socket, line: Line): void {
    this.waiting -= line.waiting.length;
    line.waiting = [];
    line.isPaused = false;
    this.crowded.delete(socket);
  }
}

function owesAnswer(line: Line | undefined): boolean {
  return line?.work?.[0].complete === true;
}
