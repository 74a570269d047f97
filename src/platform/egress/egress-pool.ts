import { type Agent } from 'node:http';
import { type Socket } from 'node:net';
import { Lane, type LaneOwner } from './guarded-agent';

export type EgressPoolOptions = Readonly<{
  /** How long a connection may stay idle. */
  idleMs?: number;
  maxIdlePerEndpoint?: number;
  maxIdle?: number;
}>;

export type EgressPool = Readonly<{
  /** Runs one request over the connections of this key; keys never share one. */
  withLane<T>(key: string, work: (agent: Agent) => Promise<T>): Promise<T>;
  /** Idle connections, and endpoints that have one idle or in use. */
  counts(): Readonly<{ idle: number; lanes: number }>;
  /** Closes idle connections; requests in flight finish and their connections are not kept. */
  close(): void;
}>;

/** Keeps connections open between requests to one endpoint, and never shares them between endpoints. */
export function createEgressPool(options: EgressPoolOptions = {}): EgressPool {
  const { idleMs = 4000, maxIdlePerEndpoint = 16, maxIdle = 256 } = options;
  const lanes = new Map<string, Lane>();
  // In the order in which they became idle, so the first is the one to evict.
  const idle = new Set<Socket>();
  let closed = false;

  const dropIfUnused = (lane: Lane): void => {
    if (lane.isUnused && lanes.get(lane.key) === lane) lanes.delete(lane.key);
  };
  const owner: LaneOwner = {
    idleMs,
    keep(socket) {
      if (closed) return false;
      idle.add(socket);
      for (const oldest of idle) {
        if (idle.size <= maxIdle) break;
        idle.delete(oldest);
        oldest.destroy();
      }
      return true;
    },
    forget(socket, lane) {
      idle.delete(socket);
      dropIfUnused(lane);
    },
  };
  const laneOf = (key: string): Lane => {
    const lane = lanes.get(key) ?? new Lane(key, owner, maxIdlePerEndpoint);
    lanes.set(key, lane);
    return lane;
  };

  return {
    async withLane(key, work) {
      const lane = laneOf(key);
      lane.users += 1;
      try {
        return await work(lane);
      } finally {
        lane.users -= 1;
        dropIfUnused(lane);
      }
    },
    counts: () => ({ idle: idle.size, lanes: lanes.size }),
    close() {
      closed = true;
      for (const socket of idle) socket.destroy();
    },
  };
}
