import { type Collection as MongoCollection, type Db, MongoClient, ReadPreference } from 'mongodb';
import { type Position } from '../../event-store/event-store.port';
import { type Fields } from './fields';

/** How a read-model document lies in MongoDB; a checkpoint is one without a document. */
export type StoredFields = { _id: string; position: Position; document?: Fields };
export type StoredCollection = MongoCollection<StoredFields>;

const DEFAULT_DATABASE = 'svc';

/**
 * Connects when first asked, so that the service starts while the server is away. A client whose first attempt fails stays
 * closed for good, so each attempt has a client of its own; once connected, the driver reconnects by itself.
 */
export class Connection {
  private connecting: Promise<MongoClient> | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly makeClient: () => MongoClient,
    private readonly name: string,
  ) {}

  async database(): Promise<Db> {
    if (this.closing !== undefined) throw new Error('the read model is closed');
    this.connecting ??= this.connect();
    return (await this.connecting).db(this.name);
  }

  close(): Promise<void> {
    this.closing ??= this.closeClient();
    return this.closing;
  }

  private async connect(): Promise<MongoClient> {
    const client = this.makeClient();
    try {
      return await client.connect();
    } catch (error) {
      this.connecting = undefined;
      await client.close();
      throw error;
    }
  }

  private async closeClient(): Promise<void> {
    const client = await this.connecting?.catch(() => undefined);
    await client?.close();
  }
}

export function clientFor(url: string, answerWithinMs: number, socketTimeoutMS = answerWithinMs): MongoClient {
  try {
    return new MongoClient(url, {
      appName: 'svc',
      writeConcern: { w: 'majority', journal: true },
      // What the primary has not yet spread may be rolled back, but then the checkpoint written after it is, too.
      readConcern: { level: 'local' },
      readPreference: ReadPreference.primary,
      // Positions are the only 64-bit integers stored: document numbers are int32 or double and stay JS numbers.
      useBigInt64: true,
      serverSelectionTimeoutMS: answerWithinMs,
      connectTimeoutMS: answerWithinMs,
      waitQueueTimeoutMS: answerWithinMs,
      socketTimeoutMS,
      // Every write is guarded by its position and its caller repeats it: a second attempt hidden in the driver adds nothing.
      ...(/[?&]retryWrites=/i.test(url) ? {} : { retryWrites: false }),
    });
  } catch {
    // The driver's own message may repeat the URL, and with it the password.
    throw new Error('the read store URL is not a valid MongoDB connection string');
  }
}

export function databaseIn(url: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]+)/.exec(url)?.[1];
  return path === undefined ? DEFAULT_DATABASE : decodeURIComponent(path);
}
