import { EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '../event-store.port';
import { appendGate } from './append-gate';
import { checkConnectionString } from './connection-string';
import { bounded } from './time-bound';

type Shared = { current: EventStoreDBClient; users: number };

const sharedByUrl = new Map<string, Shared>();

/**
 * A use of the process's one client for a URL. Clients keep their pending appends in one table, and one client's
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
    checkConnectionString(url);
    const shared = sharedByUrl.get(url) ?? { current: newClient(url), users: 0 };
    shared.users += 1;
    sharedByUrl.set(url, shared);
    return new Connection(url, shared);
  }

  get client(): EventStoreDBClient {
    if (this.released) throw new StoreUnavailable('unknown', new Error('the event store was closed'));
    return this.shared.current;
  }

  /** What is begun here is finished before the client is ended; it takes no longer than the time bound allows. */
  async use<T>(work: (client: EventStoreDBClient) => Promise<T>): Promise<T> {
    const use = work(this.client);
    this.uses.add(use);
    try {
      return await use;
    } finally {
      this.uses.delete(use);
    }
  }

  /**
   * From here on there is a new client. The broken one is left to itself: reads that it still serves would end as if
   * they were complete if it were disposed of, and appends of the new one would be rejected.
   */
  replace(broken: EventStoreDBClient): void {
    if (this.released || this.shared.current !== broken) return;
    this.shared.current = newClient(this.url);
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
    const { current } = this.shared;
    await appendGate.whileQuiet(() => bounded(() => current.dispose()).catch(() => undefined));
  }
}

function newClient(url: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(url);
  } catch {
    // The driver's own error quotes the URL, and with it the password.
    throw new Error('EVENTSTORE_URL cannot be understood');
  }
}
