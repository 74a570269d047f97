import { setMaxListeners } from 'node:events';
import { EventStoreDBClient } from '@eventstore/db-client';
import { appendGate } from './append-gate';
import { Pulse } from './pulse';
import { bounded } from './time-bound';

/** One node, as this process talks to it. */
export class Node {
  readonly client: EventStoreDBClient;
  readonly pulse: Pulse;
  private readonly giving = new AbortController();

  constructor(
    url: string,
    /** Whether reads are refused if the node does not lead. Other nodes may lag behind what was acknowledged. */
    readonly requiresLeader: boolean,
    patienceMs: number,
    onSilence: (node: Node) => void,
  ) {
    this.client = clientFor(url);
    // One listener for each pending request.
    setMaxListeners(0, this.giving.signal);
    this.pulse = new Pulse(patienceMs, () => onSilence(this));
  }

  /** Aborted when the node is abandoned: none of its pending requests will be answered. */
  get lost(): AbortSignal {
    return this.giving.signal;
  }

  /**
   * The driver keeps the appends of all clients in one table: if this client's call broke later, the next client's
   * appends would be rejected with it and their answers ignored. So this client ends before another append is admitted.
   */
  async giveUp(): Promise<void> {
    this.pulse.stop();
    this.giving.abort();
    await appendGate.whileQuiet(() => bounded(() => this.client.dispose()).catch(() => undefined));
  }
}

export function clientFor(url: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(url);
  } catch {
    // The driver's own error quotes the URL, and with it the password.
    throw new Error('EVENTSTORE_URL cannot be understood');
  }
}
