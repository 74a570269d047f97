import { type ClientReplaceOneModel, type Db, type MongoClient } from 'mongodb';
import { type StoredFields } from './connection';

/** The protocol of MongoDB 8.0. */
const WIRE_VERSION = 25;
/** "No such command", and "not supported" where a front knows the command and what lies behind it does not. */
const UNKNOWN_COMMAND: ReadonlySet<unknown> = new Set([59, 115]);

export type Target = Readonly<{ collection: string; writes: readonly StoredFields[] }>;

type Schemas = Readonly<Record<string, StoredFields>>;
type Named = ClientReplaceOneModel<StoredFields> & Readonly<{ namespace: string }>;

/**
 * Everything of a batch in one command, over all collections and in order: MongoDB has had that since 8.0. Each write is guarded
 * as it always is, so that one that is not newer ends the command as a duplicate: then nothing is said but that it was not done,
 * and whoever asked goes the way of every server, which leaves out what is there already.
 */
export class WholeBatch {
  private readonly talked = new WeakMap<MongoClient, number>();
  private isRefused = false;

  /** Notes what the servers say of themselves: one that does not know the command is never asked. */
  watched(client: MongoClient): MongoClient {
    client.on('topologyDescriptionChanged', ({ newDescription: { servers } }) => {
      const known = [...servers.values()].filter(({ isDataBearing }) => isDataBearing);
      this.talked.set(client, Math.min(...known.map(({ maxWireVersion }) => maxWireVersion)));
    });
    return client;
  }

  /** False where all or some of it was not done. */
  async store(database: Db, targets: readonly Target[]): Promise<boolean> {
    // Of no server at all the least is infinite.
    const talked = this.talked.get(database.client) ?? 0;
    if (this.isRefused || talked < WIRE_VERSION || talked === Infinity) return false;
    const models = targets.flatMap(({ collection, writes }) =>
      writes.map(({ _id, ...replacement }): Named => ({
        name: 'replaceOne',
        namespace: `${database.databaseName}.${collection}`,
        filter: { _id, position: { $lt: replacement.position } },
        replacement,
        upsert: true,
      })),
    );
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
