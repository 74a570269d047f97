import { type ServiceError, status } from '@grpc/grpc-js';
import { type Metadata } from '@grpc/grpc-js';
import { failure } from './messages';

export type EngineKind = 'eventstoredb' | 'kurrentdb';
export type Endpoint = Readonly<{ host: string; port: number }>;
export type RoleName = 'leader' | 'follower' | 'not-ready';

/** A node's current role in its cluster. */
export type NodeRole = Readonly<{
  kind: EngineKind;
  name(): RoleName;
  /** The node that this one believes to be the leader. */
  leader(): Endpoint | undefined;
  /** How long after its commit a record can be read here. */
  lagMs(): number;
  /** What happens to an append that arrives here: it is written, refused, or never answered. */
  appends(): 'written' | 'not-ready' | 'unanswered';
  members(): readonly Readonly<{ endpoint: Endpoint; role: RoleName; isAlive: boolean }>[];
}>;

/** A single node without a cluster. */
export const alone = (kind: EngineKind, port: () => number): NodeRole => {
  const endpoint = (): Endpoint => ({ host: '127.0.0.1', port: port() });
  return {
    kind,
    name: () => 'leader',
    leader: endpoint,
    lagMs: () => 0,
    appends: () => 'written',
    members: () => [{ endpoint: endpoint(), role: 'leader', isAlive: true }],
  };
};

let isEarly = false;

/** Why a node that is not the leader refuses a call; undefined if it does not refuse. */
export function refusalOf(role: NodeRole, metadata: Metadata): ServiceError | undefined {
  const requiresLeader = metadata.get('requires-leader')[0] === 'true';
  if (!requiresLeader || role.name() === 'leader') return undefined;
  const leader = role.leader();
  if (role.name() === 'not-ready' || leader === undefined) {
    // Which of the two depends on how far the node has come with the election.
    isEarly = !isEarly;
    if (isEarly) return failure(status.UNKNOWN, 'No leader info available in response');
    return failure(status.UNAVAILABLE, 'Server Is Not Ready');
  }
  return failure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': leader.host,
    'leader-endpoint-port': String(leader.port),
  });
}
