import { pause } from '../../../kernel/pause';
import { StoreUnavailable } from '../event-store.port';
import { type ConnectionString, type Endpoint } from './connection-string';
import { breaksClient, isUnreachable, leaderNamedBy, Lost, readFailure, speaksOfNode } from './errors';
import { askMembers } from './gossip';
import { lookForLeader, sameEndpoint } from './leader-search';
import { Node } from './node';
import { newestPosition } from './reading';
import { TIME_BOUND_MS } from './time-bound';

/** A silent leader may already have a successor; a standalone server has none, so there is nothing to gain. */
const PATIENCE_IN_CLUSTER_MS = 2_000;
/** Every call to a standalone server times out first, with its own error. */
const PATIENCE_ALONE_MS = TIME_BOUND_MS + 500;
/** Longer than an election takes. Until then callers wait for the new leader; after that they get any node. */
const ELECTION_MS = 3_000;
const LOOK_AGAIN_MS = 100;
const MEMBERS_WITHIN_MS = 1_000;

/**
 * The node that this process talks to. In a cluster it is the leader: followers also accept and forward appends, but
 * reads from them lack what was just acknowledged. We find the leader ourselves, because the driver believes a follower
 * that names a dead one, and waits for a frozen one until its keep-alive ends. Without a leader, any node that answers
 * serves and may lag: nothing is acknowledged then.
 */
export class Nodes {
  private readonly known: Endpoint[];
  private isCluster: boolean;
  private current: Node | undefined;
  private searching: Promise<void> | undefined;
  private lookedAt = -Infinity;
  private leaderless = false;
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
    else if (this.leaderless && performance.now() - this.lookedAt > LOOK_AGAIN_MS) this.search().catch(() => undefined);
    if (this.current !== undefined) return this.current;
    throw new StoreUnavailable('unknown', new Error('no node of the event store was found'));
  }

  /** Handles a failed call; true if it may be retried on another node. */
  failed(node: Node, error: unknown): boolean {
    const leader = leaderNamedBy(error);
    if (leader !== undefined && !this.known.some((one) => sameEndpoint(one, leader))) this.known.push(leader);
    if (leader !== undefined) this.isCluster = true;
    if (!this.isCluster) {
      if (breaksClient(error) || error instanceof Lost) this.giveUp(node);
      return false;
    }
    const isUseless = node.requiresLeader ? speaksOfNode(error) : isUnreachable(error);
    if (isUseless) this.giveUp(node);
    return isUseless;
  }

  async close(): Promise<void> {
    if (this.current) this.leave(this.current);
    await Promise.all(this.leaving);
  }

  /** The address of a single node may be a follower's. This finds out before anything else is in flight there. */
  private async askWhetherItLeads(node: Node): Promise<void> {
    try {
      await newestPosition(node);
    } catch (error) {
      this.asking = undefined;
      if (leaderNamedBy(error) !== undefined) this.failed(node, error);
      else if (speaksOfNode(error)) throw readFailure(error);
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
    const patientUntil = performance.now() + (this.leaderless ? 0 : ELECTION_MS);
    const credentials = this.url.gossipCredentials();
    for (;;) {
      this.lookedAt = performance.now();
      const { leader, isAlone, anyone, known } = await lookForLeader(this.known, (one) =>
        askMembers(one, credentials, MEMBERS_WITHIN_MS),
      );
      this.known.push(...known.filter((one) => !this.known.some((other) => sameEndpoint(one, other))));
      if (isAlone) this.forgetCluster();
      if (leader !== undefined) return this.go(leader, true);
      if (anyone === undefined) throw new StoreUnavailable('unknown', new Error('no node of the event store answers'));
      if (performance.now() >= patientUntil) return this.current === undefined ? this.go(anyone, false) : undefined;
      await pause(LOOK_AGAIN_MS);
    }
  }

  /** A single node that starts may say that it does not lead, and name itself: that does not make it a cluster. */
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
  }

  private nodeAt(endpoint: Endpoint, requiresLeader: boolean): Node {
    this.attempts += 1;
    const patience = this.isCluster ? PATIENCE_IN_CLUSTER_MS : PATIENCE_ALONE_MS;
    return new Node(this.url.clientOf(endpoint, this.attempts), requiresLeader, patience, (silent) =>
      this.failed(silent, new Lost()),
    );
  }
}
