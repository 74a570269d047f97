import { setMaxListeners } from 'node:events';
import { type EventStoreDBClient } from '@eventstore/db-client';
import { appendGate } from './append-gate';
import { Pulse } from './pulse';
import { bounded } from './time-bound';

/** A client for one node. */
export class Node {
  readonly pulse: Pulse;
  private readonly giving = new AbortController();

  constructor(
    readonly client: EventStoreDBClient,
    /** Whether reads are refused if the node is not the leader. Followers may lag behind what was acknowledged. */
    readonly requiresLeader: boolean,
    patienceMs: number,
    onSilence: (node: Node) => void,
  ) {
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
