import { setMaxListeners } from 'node:events';
import { EventStoreDBClient } from '@eventstore/db-client';
import { appendGate } from './append-gate';
import { Pulse } from './pulse';
import { bounded } from './time-bound';

/** One node as this process speaks to it. */
export class Node {
  readonly client: EventStoreDBClient;
  readonly pulse: Pulse;
  private readonly giving = new AbortController();

  constructor(
    url: string,
    /** Whether reads are refused where it does not lead. Others may be behind what was acknowledged. */
    readonly requiresLeader: boolean,
    patienceMs: number,
    onSilence: (node: Node) => void,
  ) {
    this.client = clientFor(url);
    // One for each question that waits.
    setMaxListeners(0, this.giving.signal);
    this.pulse = new Pulse(patienceMs, () => onSilence(this));
  }

  /** Aborted when it is given up: nothing that was asked of it will be answered. */
  get lost(): AbortSignal {
    return this.giving.signal;
  }

  /**
   * The driver keeps the appends of all clients in one table: when the call of this one breaks later, those of the next would
   * be rejected with it, and their answers would find nobody. So it is ended before another append is let through.
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
