import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';

/** Requests that one connection may pipeline before we stop reading from it. */
const MAX_PIPELINED = 8;
/** For the whole process. Beyond it, the connection that has been paused longest is closed. */
const MAX_WAITING = 8_192;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** The requests of one connection: the one in flight, and those that arrived meanwhile. */
type RequestQueue = {
  inFlight: Exchange | undefined;
  waiting: Exchange[];
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
export class PipelinedRequests {
  private readonly queues = new WeakMap<Socket, RequestQueue>();
  /** Connections we have stopped reading from, the longest paused first. */
  private readonly paused = new Set<Socket>();
  private waiting = 0;

  constructor(private readonly begin: RequestListener) {}

  /** Whether a request of this connection is in flight. */
  isBusy(socket: Socket): boolean {
    return this.queues.get(socket)?.inFlight !== undefined;
  }

  /** How many requests wait for the response before theirs. */
  get size(): number {
    return this.waiting;
  }

  /** Whether a fully received request is in flight. */
  owes(socket: Socket): boolean {
    return owesResponse(this.queues.get(socket));
  }

  /** Grows when a request arrives, and again when it is complete. */
  requestProgress(socket: Socket): number {
    const { asked = 0, newest } = this.queues.get(socket) ?? {};
    return 2 * asked - (newest?.complete === false ? 1 : 0);
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const queue = this.queues.get(socket) ?? this.queueOf(socket);
    queue.asked += 1;
    queue.newest = request;
    if (queue.inFlight === undefined) return this.start(queue, request, response);
    queue.waiting.push([request, response]);
    this.waiting += 1;
    if (queue.waiting.length >= MAX_PIPELINED) this.pause(socket, queue);
    const [longest = socket] = this.paused;
    if (this.waiting > MAX_WAITING) longest.destroy();
  }

  /** Runs the action once all fully received requests are answered; an incomplete request is not waited for. */
  finally(socket: Socket, action: () => void): void {
    const queue = this.queues.get(socket);
    if (queue !== undefined && owesResponse(queue)) queue.last = action;
    else action();
  }

  /** Call this when the response has left, or no longer can. */
  done(socket: Socket): void {
    const queue = this.queues.get(socket);
    if (queue === undefined) return;
    if (queue.waiting.length === 0) this.becomeIdle(queue);
    // In a later turn: a long queue must not be processed in one go while all other callers wait.
    else setImmediate(() => this.next(socket, queue));
  }

  private queueOf(socket: Socket): RequestQueue {
    const queue: RequestQueue = {
      inFlight: undefined,
      waiting: [],
      isPaused: false,
      asked: 0,
      newest: undefined,
      last: undefined,
    };
    this.queues.set(socket, queue);
    socket.once('close', () => this.forget(socket, queue));
    // Reading a body, and the end of a response, make Node resume the socket.
    socket.on('resume', () => queue.isPaused && socket.pause());
    return queue;
  }

  private start(queue: RequestQueue, request: IncomingMessage, response: ServerResponse): void {
    queue.inFlight = [request, response];
    this.begin(request, response);
  }

  private becomeIdle(queue: RequestQueue): void {
    queue.inFlight = undefined;
    if (queue.newest?.complete === true) queue.newest = undefined;
    this.settle(queue);
  }

  private settle(queue: RequestQueue): void {
    const { last } = queue;
    if (last === undefined || owesResponse(queue)) return;
    queue.last = undefined;
    last();
  }

  private next(socket: Socket, queue: RequestQueue): void {
    const [first] = queue.waiting;
    // After a connection's last response Node assigns the socket to no other: the waiting requests end with it.
    if (socket.destroyed || (first !== undefined && first[1].socket === null)) return;
    const asked = queue.waiting.shift();
    if (asked === undefined) return this.becomeIdle(queue);
    this.waiting -= 1;
    if (queue.isPaused && queue.waiting.length < MAX_PIPELINED) {
      queue.isPaused = false;
      this.paused.delete(socket);
      socket.resume();
    }
    this.start(queue, ...asked);
    this.settle(queue);
  }

  private pause(socket: Socket, queue: RequestQueue): void {
    if (queue.isPaused) return;
    queue.isPaused = true;
    this.paused.add(socket);
    socket.pause();
  }

  private forget(socket: Socket, queue: RequestQueue): void {
    this.waiting -= queue.waiting.length;
    queue.waiting = [];
    queue.isPaused = false;
    this.paused.delete(socket);
  }
}

function owesResponse(queue: RequestQueue | undefined): boolean {
  return queue?.inFlight?.[0].complete === true;
}
