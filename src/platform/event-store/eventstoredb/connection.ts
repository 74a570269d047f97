import { StoreUnavailable } from '../event-store.port';
import { parseConnectionString } from './connection-string';
import { type Node } from './node';
import { Nodes } from './nodes';

type Shared = { readonly nodes: Nodes; users: number };

const sharedByUrl = new Map<string, Shared>();

/**
 * One use of the process's only client for a URL. Clients keep their pending appends in one table, and one client's
 * broken call rejects the appends of the others: so there is no second client without need.
 */
export class Connection {
  private readonly uses = new Set<Promise<unknown>>();
  private released: Promise<void> | undefined;

  private constructor(
    private readonly url: string,
    private readonly shared: Shared,
  ) {}

  static open(url: string): Connection {
    const shared = sharedByUrl.get(url) ?? { nodes: new Nodes(parseConnectionString(url)), users: 0 };
    shared.users += 1;
    sharedByUrl.set(url, shared);
    return new Connection(url, shared);
  }

  node(): Promise<Node> {
    return this.shared.nodes.node();
  }

  /** See Nodes.failed. */
  failed(node: Node, error: unknown): boolean {
    return this.shared.nodes.failed(node, error);
  }

  /** Work begun here finishes before the client is disposed of; the time bound limits how long that takes. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.released) throw new StoreUnavailable('unknown', new Error('the event store was closed'));
    const use = work();
    this.uses.add(use);
    try {
      return await use;
    } finally {
      this.uses.delete(use);
    }
  }

  release(): Promise<void> {
    this.released ??= this.leave();
    return this.released;
  }

  private async leave(): Promise<void> {
    await Promise.allSettled(this.uses);
    this.shared.users -= 1;
    if (this.shared.users > 0) return;
    sharedByUrl.delete(this.url);
    await this.shared.nodes.close();
  }
}
