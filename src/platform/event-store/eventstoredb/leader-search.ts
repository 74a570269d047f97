import { type Endpoint } from './connection-string';
import { type Member } from './gossip';

export type ClusterSurvey = Readonly<{
  /** A node that itself claims to lead: what other nodes say about it may be outdated. */
  leader: Endpoint | undefined;
  /** The leader knows of no other node: there is no cluster. */
  isAlone: boolean;
  /** A node that answers. */
  responsive: Endpoint | undefined;
  /** Every node named by any member. */
  known: readonly Endpoint[];
}>;

export type AskMembers = (endpoint: Endpoint) => Promise<readonly Member[]>;

/** Once one node claims to lead, how long the others have to contradict it. */
const OBJECTION_WINDOW_MS = 100;
/** Once one node has answered, how long the others have to answer at all: a frozen one never does. */
const STRAGGLER_TIMEOUT_MS = 300;

export const sameEndpoint = (one: Endpoint, other: Endpoint): boolean => keyOf(one) === keyOf(other);
const keyOf = ({ address, port }: Endpoint): string => `${address}:${port}`;

/**
 * Asks all nodes of the cluster concurrently, including those that only other nodes have named. For a while, others may
 * name a frozen or dead node as the leader; that does not count, because the node does not claim it itself. If two
 * nodes claim to lead, one was deposed and has not noticed: the votes of the others decide.
 */
export async function surveyCluster(start: readonly Endpoint[], ask: AskMembers): Promise<ClusterSurvey> {
  const known = new Map<string, Endpoint>();
  const answering: Endpoint[] = [];
  const leaders: Endpoint[] = [];
  const single = new Set<Endpoint>();
  const votes = new Map<string, number>();
  let enough: () => void = () => undefined;
  const found = new Promise<void>((resolve) => (enough = resolve));

  const visit = async (endpoint: Endpoint): Promise<void> => {
    if (known.has(keyOf(endpoint))) return;
    known.set(keyOf(endpoint), endpoint);
    const members = await ask(endpoint).catch(() => undefined);
    if (members === undefined) return;
    answering.push(endpoint);
    setTimeout(enough, STRAGGLER_TIMEOUT_MS);
    for (const member of members) {
      if (!member.isLeader || !member.isAlive) continue;
      votes.set(keyOf(member.endpoint), (votes.get(keyOf(member.endpoint)) ?? 0) + 1);
      // A standalone node may report an address for itself that only it can use.
      if (members.length > 1 && !sameEndpoint(member.endpoint, endpoint)) continue;
      leaders.push(endpoint);
      if (members.length === 1) single.add(endpoint);
      setTimeout(enough, OBJECTION_WINDOW_MS);
    }
    if (members.length > 1) await Promise.all(members.map((member) => visit(member.endpoint)));
  };

  await Promise.race([Promise.all(start.map(visit)), found]);
  const votesFor = (endpoint: Endpoint): number => votes.get(keyOf(endpoint)) ?? 0;
  const [leader] = leaders.sort((one, other) => votesFor(other) - votesFor(one));
  const isAlone = leader !== undefined && single.has(leader);
  return { leader, isAlone, responsive: answering[0], known: [...known.values()] };
}
