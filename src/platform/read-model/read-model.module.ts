import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Projection, PROJECTIONS } from './projection';
import { CONFIG, type Config } from '../config';
import { EVENT_STORE, type EventStore } from '../event-store/event-store.port';
import { LOGGER } from '../logging/logger';
import { CLOCK, type Clock } from '../../kernel/clock';
import { openEmbeddedReadModel, openEmbeddedReadModelReadOnly } from './embedded/embedded-read-model';
import { FileKeyShelf } from './embedded/file-key-shelf';
import { History } from './history';
import { KEY_SHELF, type KeyShelf } from './key-shelf.port';
import { Leadership, systemClocks } from '../reacting/leadership';
import { SocketNeighbours } from '../reacting/neighbours';
import { Projector } from '../projecting/projector';
import { READ_MODEL, READ_MODEL_STORE, type ReadModelStore } from './read-model.port';

/** Loaded only where it is used, as every engine's client: it would slow every start down. */
async function openMongoReadModel(url: string, logger?: Logger): Promise<ReadModelStore> {
  const onSetAside = (what: object): void =>
    logger?.error(what, 'a document is too large for MongoDB: reads show it as it was when it last fitted');
  return (await import('./mongodb/mongodb-read-model')).openMongoReadModel(url, { onSetAside });
}

export const openReadModel = ({ readStore, dataDir }: Config, logger?: Logger): Promise<ReadModelStore> =>
  readStore.kind === 'embedded'
    ? // What cannot be read is built again from the log.
      openEmbeddedReadModel(join(dataDir, 'read-model'), { discardUnreadable: true })
    : openMongoReadModel(readStore.url, logger);

/** Beside a running service, for looking only. */
export const openReadModelReadOnly = ({ readStore, dataDir }: Config): Promise<ReadModelStore> =>
  readStore.kind === 'embedded'
    ? openEmbeddedReadModelReadOnly(join(dataDir, 'read-model'))
    : openMongoReadModel(readStore.url);

/** Beside the read model of the same kind, but apart from it: an unreadable read model is thrown away, keys never. */
export async function openKeyShelf({ readStore, dataDir }: Config): Promise<KeyShelf> {
  if (readStore.kind === 'embedded') return new FileKeyShelf(join(dataDir, 'personal-keys'));
  const { MongoKeyShelf } = await import('./mongodb/mongodb-key-shelf');
  return new MongoKeyShelf(readStore.url);
}

/** For comparing: a read model of its own in a directory of its own. */
export const openReadModelIn = (directory: string): Promise<ReadModelStore> => openEmbeddedReadModel(directory);

/** The only file that knows which read stores there are. */
@Global()
@Module({
  providers: [
    History,
    { provide: READ_MODEL_STORE, inject: [CONFIG, LOGGER], useFactory: openReadModel },
    { provide: READ_MODEL, useExisting: READ_MODEL_STORE },
    { provide: KEY_SHELF, inject: [CONFIG], useFactory: openKeyShelf },
    {
      provide: Leadership,
      inject: [READ_MODEL_STORE, LOGGER, CONFIG],
      useFactory: ({ lease }: ReadModelStore, logger: Logger, { dataDir }: Config) =>
        new Leadership(lease, logger, systemClocks, new SocketNeighbours(dataDir)),
    },
    {
      provide: Projector,
      inject: [EVENT_STORE, READ_MODEL_STORE, PROJECTIONS, CLOCK, LOGGER, Leadership],
      useFactory: (
        store: EventStore,
        model: ReadModelStore,
        projections: readonly Projection[],
        clock: Clock,
        logger: Logger,
        leadership: Leadership,
      ) => new Projector(store, model, projections, clock, logger, () => leadership.leads()),
    },
  ],
  exports: [READ_MODEL, READ_MODEL_STORE, KEY_SHELF, History, Leadership, Projector],
})
export class ReadModelModule {}
