import { type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';

/** Limit on response bytes that callers have not read, for the whole process. */
export const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
const SAMPLE_INTERVAL_MS = 20;
/** Above that limit, how long a peer may read nothing of its response. */
const STALL_TIMEOUT_MS = 1_000;
/** And where there is only no room for a large page. A peer that reads slowly seems to read in steps of seconds. */
const NO_ROOM_STALL_TIMEOUT_MS = 5_000;

/** Bounds the memory that responses take while their callers do not read them. */
export class UnreadResponses {
  private readonly stalled = new WeakMap<Socket, Readonly<{ bytes: number; since: number }>>();
  private unsent = 0;
  private sampledAt = -Infinity;

  constructor(private readonly unanswered: ReadonlySet<ServerResponse>) {}

  /**
   * Whether so many response bytes are unread that no more may be produced. Peers that read nothing are then
   * disconnected. Sampled: adding up thousands of connections for each request would cost more than the request.
   */
  get areTooMany(): boolean {
    const now = performance.now();
    if (now - this.sampledAt >= SAMPLE_INTERVAL_MS) {
      this.sampledAt = now;
      this.unsent = this.bytes();
      if (this.unsent > MAX_UNSENT_BYTES) this.closeStalled(now, STALL_TIMEOUT_MS);
    }
    return this.unsent > MAX_UNSENT_BYTES;
  }

  /** Whether so many more bytes fit. If not, peers that read nothing are disconnected as well. */
  leaveRoomFor(bytes: number): boolean {
    const fits = this.bytes() + bytes <= MAX_UNSENT_BYTES;
    if (!fits) this.closeStalled(performance.now(), NO_ROOM_STALL_TIMEOUT_MS);
    return fits;
  }

  /** Response bytes that callers have not read yet. */
  bytes(): number {
    let sum = 0;
    // A text waits in the stream as characters, up to three bytes each; only the handle counts the bytes.
    for (const { socket } of this.unanswered) if (socket) sum += Math.max(socket.writableLength, queuedBytes(socket));
    return sum;
  }

  /** When all of a response was read: the next one may begin with as many unread bytes. */
  forget(socket: Socket): void {
    this.stalled.delete(socket);
  }

  private closeStalled(now: number, timeoutMs: number): void {
    for (const { socket } of this.unanswered) {
      if (socket === null) continue;
      if (socket.writableLength === 0) {
        this.forget(socket);
        continue;
      }
      const before = this.stalled.get(socket);
      const bytes = unsentBytes(socket);
      if (before?.bytes !== bytes) this.stalled.set(socket, { bytes, since: now });
      else if (now - before.since >= timeoutMs) socket.destroy();
    }
  }
}

/**
 * Response bytes that a peer has not read. `writableLength` counts a chunk until all of it is sent, and most responses
 * are one chunk; the handle knows how much of it is left.
 */
export function unsentBytes(socket: Socket): number {
  // Chunks behind the one being sent wait in the stream, so both are counted.
  return socket.writableLength + queuedBytes(socket);
}

/** What is left of the chunks that are being sent. */
function queuedBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & Readonly<{ _handle?: Readonly<{ writeQueueSize?: number }> | null }>;
  return handle?.writeQueueSize ?? 0;
}
