import { type Collection as MongoCollection, type Db, MongoClient, ReadPreference } from 'mongodb';
import { type Position, StoreUnavailable } from '../../event-store/event-store.port';
import { pause } from '../../../kernel/pause';
import { withTimeout } from './with-timeout';
import { type Fields } from './fields';

/** How a read-model document is stored in MongoDB; a checkpoint is one without a document. */
export type StoredFields = { _id: string; position: Position; document?: Fields; event?: string };
export type StoredCollection = MongoCollection<StoredFields>;

/** The server closes a cursor itself only if there was room for one document more; otherwise a getMore follows. */
export const allAtOnce = (ids: readonly string[]) => ({ batchSize: ids.length + 1 });

const DEFAULT_DATABASE = 'svc';

/** The driver creates a new database object on each request for one, with a copy of every option of the client. */
type Connected = Readonly<{ client: MongoClient; database: Db }>;

/**
 * Connects on first use, so that the service starts while the server is unavailable. A client whose first attempt fails
 * stays closed, so each attempt has its own client. Once connected, the driver reconnects by itself, but not always:
 * its heartbeat can get lost with the socket it was written to, and then that client never finds the server again. So a
 * client that has received nothing for the length of our own timeout is replaced.
 */
export class Connection {
  private connecting: Promise<Connected> | undefined;
  private closing: Promise<void> | undefined;
  private answeredAt = -Infinity;
  private readonly exchanged = new Set<Promise<void>>();
  private readonly ending = new AbortController();

  constructor(
    private readonly makeClient: () => MongoClient,
    private readonly name: string,
    private readonly withinMs: number,
  ) {}

  /** Rejects with StoreUnavailable if there is no answer in time. */
  async ask<T>(work: (database: Db) => Promise<T>): Promise<T> {
    if (this.closing !== undefined) throw new Error('the read model is closed');
    const connecting = (this.connecting ??= this.begin());
    try {
      const answer = await withTimeout(this.withinMs, async () => work((await connecting).database));
      this.answeredAt = performance.now();
      return answer;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.answeredAt = performance.now();
      else if (performance.now() - this.answeredAt >= this.withinMs) this.replaceClient(connecting);
      throw error;
    }
  }

  close(): Promise<void> {
    this.closing ??= this.closeClients();
    return this.closing;
  }

  private begin(): Promise<Connected> {
    const connecting = this.connect();
    connecting.catch(() => this.replaceClient(connecting));
    return connecting;
  }

  private async connect(): Promise<Connected> {
    const client = this.makeClient();
    // Otherwise close() would wait for an attempt that nobody answers.
    const giveUp = (): void => void client.close().catch(() => undefined);
    this.ending.signal.addEventListener('abort', giveUp, { once: true });
    try {
      await client.connect();
    } catch (error) {
      await client.close();
      throw error;
    } finally {
      this.ending.signal.removeEventListener('abort', giveUp);
    }
    this.answeredAt = performance.now();
    return { client, database: client.db(this.name) };
  }

  /** The next caller connects again. Callers that still wait for the old client have timed out when it is closed. */
  private replaceClient(connecting: Promise<Connected>): void {
    if (this.connecting !== connecting) return;
    this.connecting = undefined;
    const ended = connecting
      .then(async ({ client }) => {
        await pause(this.withinMs, this.ending.signal);
        await client.close();
      })
      .catch(() => undefined)
      .finally(() => this.exchanged.delete(ended));
    this.exchanged.add(ended);
  }

  private async closeClients(): Promise<void> {
    this.ending.abort();
    const connected = await this.connecting?.catch(() => undefined);
    await Promise.all([connected?.client.close(), ...this.exchanged]);
  }
}

/**
 * The driver takes this only after parsing. By default it looks ten times a second whether a pool has too few
 * connections, and ours may have none: on an idle service that took a fifth of the processor time.
 */
const RARE_POOL_CHECKS = { minPoolSizeCheckFrequencyMS: 1_000 };

export type ClientOptions = Readonly<{ socketTimeoutMS?: number; maxPoolSize?: number }>;

export function clientFor(url: string, answerWithinMs: number, options: ClientOptions = {}): MongoClient {
  try {
    const client = new MongoClient(url, {
      appName: 'svc',
      writeConcern: { w: 'majority', journal: true },
      // What the primary has not yet replicated may be rolled back, but then so is the checkpoint written after it.
      readConcern: { level: 'local' },
      readPreference: ReadPreference.primary,
      // Positions are the only 64-bit integers stored: document numbers are int32 or double and stay JS numbers.
      useBigInt64: true,
      serverSelectionTimeoutMS: answerWithinMs,
      connectTimeoutMS: answerWithinMs,
      waitQueueTimeoutMS: answerWithinMs,
      socketTimeoutMS: answerWithinMs,
      // Every write is guarded by its position and repeated by its caller: a retry hidden in the driver adds nothing.
      ...(/[?&]retryWrites=/i.test(url) ? {} : { retryWrites: false }),
      ...options,
    });
    Object.assign(client.options, RARE_POOL_CHECKS);
    return client;
  } catch {
    // The driver's own message may repeat the URL, and with it the password.
    throw new Error('MONGODB_URL is not a valid MongoDB connection string');
  }
}

export function databaseIn(url: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]+)/.exec(url)?.[1];
  return path === undefined ? DEFAULT_DATABASE : decodeURIComponent(path);
}
