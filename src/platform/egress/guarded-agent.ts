import { Agent, type ClientRequest, type ClientRequestArgs } from 'node:http';
import { type Socket } from 'node:net';
import { type Duplex } from 'node:stream';
import { dial, type DialPlan } from './dial';

/** The request options carry the plan to the place where the agent opens a connection. */
export type PlannedRequest = ClientRequestArgs & Readonly<{ plan: DialPlan }>;

/** Opens connections only by plan: no proxy, no second lookup, no shared pool. */
export class GuardedAgent extends Agent {
  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    // On failure Node expects only an error; its types ask for a stream even then.
    const done = callback as (error: Error | null, socket?: Socket) => void;
    dial((options as PlannedRequest).plan).then(
      (socket) => {
        this.opened(socket);
        done(null, socket);
      },
      (error: Error) => done(error),
    );
    return undefined;
  }

  /** For agents that keep track of their sockets. */
  protected opened(_socket: Socket): void {}
}

export type LaneOwner = Readonly<{
  /** A socket has become idle; false if it should be closed instead. */
  keep(socket: Socket, lane: Lane): boolean;
  /** An idle socket is in use again or has closed. */
  forget(socket: Socket, lane: Lane): void;
  idleMs: number;
}>;

/** The connections of one endpoint to one set of addresses. */
export class Lane extends GuardedAgent {
  /** Requests in flight; the owner drops a lane without requests and idle sockets. */
  users = 0;
  private readonly idle = new Set<Socket>();

  constructor(
    readonly key: string,
    private readonly owner: LaneOwner,
    maxIdle: number,
  ) {
    super({ keepAlive: true, maxFreeSockets: maxIdle, timeout: owner.idleMs });
  }

  get isUnused(): boolean {
    return this.users === 0 && this.idle.size === 0;
  }

  protected override opened(socket: Socket): void {
    socket.once('close', () => this.leaveIdle(socket));
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const candidate = socket as Socket;
    // The base class checks whether the server's keep-alive hint leaves time for another request.
    const worthKeeping = super.keepSocketAlive(candidate) as unknown as boolean;
    if (!worthKeeping || !this.owner.keep(candidate, this)) return false;
    this.idle.add(candidate);
    candidate.on('data', closeOnUninvitedData);
    return true;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    const candidate = socket as Socket;
    candidate.off('data', closeOnUninvitedData);
    this.leaveIdle(candidate);
    super.reuseSocket(candidate, request);
  }

  private leaveIdle(socket: Socket): void {
    if (this.idle.delete(socket)) this.owner.forget(socket, this);
  }
}

/** Bytes before the next request would be taken for its response. */
function closeOnUninvitedData(this: Socket): void {
  this.destroy();
}
