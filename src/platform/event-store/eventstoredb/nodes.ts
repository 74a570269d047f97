import { pause } from '../../../kernel/pause';
import { StoreUnavailable } from '../event-store.port';
import { type ConnectionString, type Endpoint } from './connection-string';
import { breaksClient, isUnreachable, leaderNamedBy, NodeAbandoned, readFailure, isNodeFailure } from './errors';
import { askMembers } from './gossip';
import { surveyCluster, sameEndpoint } from './leader-search';
import { Node } from './node';
import { newestPosition } from './reading';
import { TIME_BOUND_MS } from './time-bound';

/** Short, because a silent leader may already have a successor. */
const CLUSTER_NODE_TIMEOUT_MS = 2_000;
/** A standalone server has no successor: every call times out first, with its own error, even if each step is late. */
const STANDALONE_NODE_TIMEOUT_MS = 1.5 * TIME_BOUND_MS;
/** Longer than an election takes. Until then callers wait for the new leader; after that they get any node. */
const ELECTION_TIMEOUT_MS = 3_000;
const DISCOVERY_INTERVAL_MS = 100;
/** How often to look for a leader that nobody asks for. */
const LEADER_SEARCH_INTERVAL_MS = 1_000;
const GOSSIP_TIMEOUT_MS = 1_000;

/**
 * Chooses the node that this process talks to. In a cluster it is the leader: followers also accept and forward
 * appends, but reads from them lack what was just acknowledged. We find the leader ourselves, because the driver
 * believes a follower that names a dead one, and waits for a frozen one until its keep-alive ends. Without a leader,
 * any node that answers serves and may lag: nothing is acknowledged then.
 */
export class Nodes {
  private readonly known: Endpoint[];
  private isCluster: boolean;
  private current: Node | undefined;
  private searching: Promise<void> | undefined;
  private lookedAt = -Infinity;
  private leaderless = false;
  private waiting: Promise<void> | undefined;
  private readonly closing = new AbortController();
  private asking: Promise<void> | undefined;
  private attempts = 0;
  private readonly leaving = new Set<Promise<void>>();

  constructor(private readonly url: ConnectionString) {
    this.known = [...url.endpoints];
    this.isCluster = url.isCluster;
    // An unusable URL is reported now, not on the first call.
    const first = this.nodeAt(this.known[0] as Endpoint, true);
    if (!this.isCluster) this.current = first;
  }

  /** Rejects if no node answers, or if finding out which one leads takes too long. */
  async node(): Promise<Node> {
    if (!this.isCluster && this.current) await (this.asking ??= this.askWhetherItLeads(this.current));
    if (this.current === undefined) await this.search();
    else if (this.leaderless && performance.now() - this.lookedAt > DISCOVERY_INTERVAL_MS)
      this.search().catch(() => undefined);
    if (this.current !== undefined) return this.current;
    throw new StoreUnavailable('unknown', new Error('no node of the event store was found'));
  }

  /** Handles a failed call; true if it may be retried on another node. */
  failed(node: Node, error: unknown): boolean {
    const leader = leaderNamedBy(error);
    if (leader !== undefined && !this.known.some((one) => sameEndpoint(one, leader))) this.known.push(leader);
    if (leader !== undefined) this.isCluster = true;
    if (!this.isCluster) {
      if (breaksClient(error) || error instanceof NodeAbandoned) this.giveUp(node);
      return false;
    }
    const isUseless = node.requiresLeader ? isNodeFailure(error) : isUnreachable(error);
    if (isUseless) this.giveUp(node);
    return isUseless;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.waiting;
    if (this.current) this.leave(this.current);
    await Promise.all(this.leaving);
  }

  /** The configured address may be a follower's. This finds out before anything else is in flight there. */
  private async askWhetherItLeads(node: Node): Promise<void> {
    try {
      await newestPosition(node);
    } catch (error) {
      this.asking = undefined;
      if (leaderNamedBy(error) !== undefined) this.failed(node, error);
      else if (isNodeFailure(error)) throw readFailure(error);
    }
  }

  private giveUp(node: Node): void {
    if (this.current !== node) return;
    this.current = this.isCluster ? undefined : this.nodeAt(this.known[0] as Endpoint, true);
    this.leave(node);
  }

  private leave(node: Node): void {
    const left = node.giveUp().finally(() => this.leaving.delete(left));
    this.leaving.add(left);
  }

  private search(): Promise<void> {
    this.searching ??= this.find().finally(() => (this.searching = undefined));
    return this.searching;
  }

  private async find(): Promise<void> {
    const patientUntil = performance.now() + (this.leaderless ? 0 : ELECTION_TIMEOUT_MS);
    const credentials = this.url.gossipCredentials();
    for (;;) {
      this.lookedAt = performance.now();
      const { leader, isAlone, responsive, known } = await surveyCluster(this.known, (one) =>
        askMembers(one, credentials, GOSSIP_TIMEOUT_MS),
      );
      this.known.push(...known.filter((one) => !this.known.some((other) => sameEndpoint(one, other))));
      if (isAlone) this.forgetCluster();
      if (leader !== undefined) return this.go(leader, true);
      if (responsive === undefined)
        throw new StoreUnavailable('unknown', new Error('no node of the event store answers'));
      if (performance.now() >= patientUntil) return this.current === undefined ? this.go(responsive, false) : undefined;
      await pause(DISCOVERY_INTERVAL_MS);
    }
  }

  /** A standalone node may, while starting, deny that it leads and name itself as leader: it is still no cluster. */
  private forgetCluster(): void {
    if (this.url.isCluster) return;
    this.isCluster = false;
    this.known.splice(0, this.known.length, ...this.url.endpoints);
  }

  private go(endpoint: Endpoint, isLeader: boolean): void {
    const before = this.current;
    this.leaderless = !isLeader;
    this.current = this.nodeAt(endpoint, isLeader);
    if (before !== undefined) this.leave(before);
    if (this.leaderless) this.waiting ??= this.untilLed().finally(() => (this.waiting = undefined));
  }

  /** A subscription that has caught up on a follower makes no further calls: without this it would stay there after an election. */
  private async untilLed(): Promise<void> {
    const { signal } = this.closing;
    while (this.leaderless && !signal.aborted) {
      await pause(LEADER_SEARCH_INTERVAL_MS, signal);
      if (this.leaderless && !signal.aborted) await this.search().catch(() => undefined);
    }
  }

  private nodeAt(endpoint: Endpoint, requiresLeader: boolean): Node {
    this.attempts += 1;
    const timeoutMs = this.isCluster ? CLUSTER_NODE_TIMEOUT_MS : STANDALONE_NODE_TIMEOUT_MS;
    return new Node(this.url.clientOf(endpoint, this.attempts), requiresLeader, timeoutMs, (silent) =>
      this.failed(silent, new NodeAbandoned()),
    );
  }
}
