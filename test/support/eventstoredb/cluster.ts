import { Log } from './log';
import { type NodeRole, type RoleName } from './node-role';
import { startNode, type TestEventStoreDb } from './server';

export type ClusterNode = TestEventStoreDb & Readonly<{ role(): RoleName }>;

export type TestCluster = Readonly<{
  /** Names all nodes. */
  url: string;
  nodes: readonly ClusterNode[];
  leader(): ClusterNode;
  followers(): readonly ClusterNode[];
  /** How far the followers are behind the leader. */
  lag(ms: number): void;
  /** Like kill -9: connections break, the others notice at once and elect another leader. */
  kill(node: ClusterNode): Promise<void>;
  /** Like SIGSTOP: the others keep naming it as their leader until they notice, and then elect another. */
  freeze(node: ClusterNode): void;
  /** The leader hands over to another and continues as a follower; its connections and subscriptions stay. */
  resign(): Promise<void>;
  /** The node comes back as a follower. */
  revive(node: ClusterNode): Promise<void>;
  stop(): Promise<void>;
}>;

export type ClusterOptions = Readonly<{ electionMs?: number; noticeMs?: number }>;

/** Three nodes on one log. With fewer than two awake there is no leader: reads are answered, appends are refused. */
export async function startEventStoreDbCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const { electionMs = 300, noticeMs = 1_000 } = options;
  const log = new Log();
  const gone = new Set<ClusterNode>();
  const noticed = new Set<ClusterNode>();
  const nodes: ClusterNode[] = [];
  let leading: ClusterNode | undefined;
  let lagMs = 0;
  let electing: NodeJS.Timeout | undefined;

  const endpointOf = ({ port }: TestEventStoreDb) => ({ host: '127.0.0.1', port });
  const nameOf = (node: ClusterNode): RoleName =>
    node === leading ? 'leader' : leading === undefined ? 'not-ready' : 'follower';
  const roleOf = (self: () => ClusterNode): NodeRole => ({
    kind: 'eventstoredb',
    name: () => nameOf(self()),
    leader: () => leading && endpointOf(leading),
    lagMs: () => (self() === leading ? 0 : lagMs),
    appends: () => (leading === undefined ? 'not-ready' : gone.has(leading) ? 'unanswered' : 'written'),
    members: () =>
      nodes.map((node) => ({ endpoint: endpointOf(node), role: nameOf(node), isAlive: !noticed.has(node) })),
  });
  const elect = (resigned?: ClusterNode): void => {
    leading = undefined;
    clearTimeout(electing);
    electing = setTimeout(() => {
      const awake = nodes.filter((node) => !gone.has(node));
      leading = awake.length * 2 > nodes.length ? awake.find((node) => node !== resigned) : undefined;
    }, electionMs);
  };
  const notice = (node: ClusterNode): void => {
    noticed.add(node);
    const awake = nodes.filter((one) => !gone.has(one));
    if (node === leading || awake.length * 2 <= nodes.length) elect();
  };

  for (let index = 0; index < 3; index += 1) {
    const node = await startNode(log, () => roleOf(() => nodes[index] as ClusterNode));
    nodes.push({ ...node, role: () => nameOf(nodes[index] as ClusterNode) });
  }
  leading = nodes[0];

  return {
    url: `esdb://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false`,
    nodes,
    leader: () => leading as ClusterNode,
    followers: () => nodes.filter((node) => node !== leading),
    lag: (ms) => void (lagMs = ms),
    kill: async (node) => {
      gone.add(node);
      await node.goDown();
      notice(node);
    },
    freeze: (node) => {
      gone.add(node);
      node.freeze();
      setTimeout(() => notice(node), noticeMs).unref();
    },
    resign: async () => {
      elect(leading);
      while (leading === undefined) await new Promise(setImmediate);
    },
    revive: async (node) => {
      gone.delete(node);
      noticed.delete(node);
      node.thaw();
      await node.comeUp();
      if (leading === undefined) elect();
    },
    stop: async () => {
      clearTimeout(electing);
      for (const node of nodes) await node.stop();
    },
  };
}
