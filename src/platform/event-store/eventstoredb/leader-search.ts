import { type Endpoint } from './connection-string';
import { type Member } from './gossip';

export type Look = Readonly<{
  /** It has said itself that it leads: what others say of it may be outdated. */
  leader: Endpoint | undefined;
  /** The leader knows of no other node: there is no cluster. */
  isAlone: boolean;
  /** A node that answers. */
  anyone: Endpoint | undefined;
  /** Every node heard of. */
  known: readonly Endpoint[];
}>;

export type AskMembers = (endpoint: Endpoint) => Promise<readonly Member[]>;

/** Once one node has said that it leads, how long the others have to contradict it. */
const OTHERS_WITHIN_MS = 100;
/** Once one node has answered, how long the others have to answer at all: a frozen one never does. */
const FROZEN_AFTER_MS = 300;

export const sameEndpoint = (one: Endpoint, other: Endpoint): boolean => keyOf(one) === keyOf(other);
const keyOf = ({ address, port }: Endpoint): string => `${address}:${port}`;

/**
 * One survey of the whole cluster: all nodes are asked at the same time, including those only heard of. Others may name
 * a frozen or dead node as the leader for a while; it does not count, because it does not say so itself. If two nodes
 * do, one was deposed and has not noticed: the others know.
 */
export async function lookForLeader(start: readonly Endpoint[], ask: AskMembers): Promise<Look> {
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
    setTimeout(enough, FROZEN_AFTER_MS);
    for (const member of members) {
      if (!member.isLeader || !member.isAlive) continue;
      votes.set(keyOf(member.endpoint), (votes.get(keyOf(member.endpoint)) ?? 0) + 1);
      // A standalone node may report an address for itself that only it can use.
      if (members.length > 1 && !sameEndpoint(member.endpoint, endpoint)) continue;
      leaders.push(endpoint);
      if (members.length === 1) single.add(endpoint);
      setTimeout(enough, OTHERS_WITHIN_MS);
    }
    if (members.length > 1) await Promise.all(members.map((member) => visit(member.endpoint)));
  };

  await Promise.race([Promise.all(start.map(visit)), found]);
  const votesFor = (endpoint: Endpoint): number => votes.get(keyOf(endpoint)) ?? 0;
  const [leader] = leaders.sort((one, other) => votesFor(other) - votesFor(one));
  const isAlone = leader !== undefined && single.has(leader);
  return { leader, isAlone, anyone: answering[0], known: [...known.values()] };
}
