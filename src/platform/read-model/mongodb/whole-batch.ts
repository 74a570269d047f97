import { type ClientInsertOneModel, type ClientReplaceOneModel, type Db, type MongoClient } from 'mongodb';
import { type StoredFields } from './connection';
import { type GuardedWrite, guardedReplacement } from './guarded-writes';

/** The wire protocol of MongoDB 8.0. */
const WIRE_VERSION = 25;
/** "No such command", and "not supported" where a proxy knows the command and its backend does not. */
const UNKNOWN_COMMAND: ReadonlySet<unknown> = new Set([59, 115]);

export type Target = Readonly<{ collection: string; writes: readonly GuardedWrite[] }>;

type Schemas = Readonly<Record<string, StoredFields>>;
type Named = (ClientInsertOneModel<StoredFields> | ClientReplaceOneModel<StoredFields>) &
  Readonly<{ namespace: string }>;

/**
 * A whole batch in one command, across all collections and in order, which MongoDB has had since 8.0. Each write is
 * guarded as always, so a stale one ends the command with a duplicate-key error: then the caller falls back to one bulk
 * write per collection, which leaves out what is stored already.
 */
export class WholeBatch {
  private readonly wireVersions = new WeakMap<MongoClient, number>();
  private isRefused = false;

  /** Notes the servers' wire versions: one that does not know the command is never asked. */
  trackWireVersions(client: MongoClient): MongoClient {
    client.on('topologyDescriptionChanged', ({ newDescription: { servers } }) => {
      const known = [...servers.values()].filter(({ isDataBearing }) => isDataBearing);
      this.wireVersions.set(client, Math.min(...known.map(({ maxWireVersion }) => maxWireVersion)));
    });
    return client;
  }

  /** False if any write was not made. */
  async store(database: Db, targets: readonly Target[]): Promise<boolean> {
    // With no server at all the minimum is infinite.
    const wireVersion = this.wireVersions.get(database.client) ?? 0;
    if (this.isRefused || wireVersion < WIRE_VERSION || wireVersion === Infinity) return false;
    const models = targets.flatMap(({ collection, writes }) => {
      const namespace = `${database.databaseName}.${collection}`;
      return writes.map(({ fields, isNew = false }): Named =>
        isNew
          ? { name: 'insertOne', namespace, document: fields }
          : { name: 'replaceOne', namespace, ...guardedReplacement(fields) },
      );
    });
    if (models.length === 0) return true;
    try {
      await database.client.bulkWrite<Schemas>(models, { ordered: true });
      return true;
    } catch (error) {
      if (isAboutCommand(error)) this.isRefused = true;
      return false;
    }
  }
}

function isAboutCommand(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return UNKNOWN_COMMAND.has(code) || UNKNOWN_COMMAND.has(cause?.code);
}
