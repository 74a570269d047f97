import { join } from 'node:path';
import { Global, Module } from '../injection';
import { type Logger } from 'pino';
import { type Projection, PROJECTIONS } from './projection';
import { CONFIG, type Config } from '../config';
import { EVENT_STORE, type EventStore } from '../event-store/event-store.port';
import { LOGGER } from '../logging/logger';
import { CLOCK, type Clock } from '../../kernel/clock';
import {
  openEmbeddedReadModel,
  openEmbeddedReadModelBeside,
  openEmbeddedReadModelReadOnly,
  openEmbeddedReadModelToMark,
} from './embedded/open';
import { FilePersonalKeyStore } from './embedded/personal-keys';
import { History } from './history';
import { PERSONAL_KEY_STORE, type PersonalKeyStore } from './personal-key-store.port';
import { Leadership } from '../reacting/leadership';
import { systemClocks } from '../reacting/lease-loop';
import { Shares } from '../reacting/shares';
import { type Neighbours, SocketNeighbours } from '../reacting/neighbours';
import { Projector } from '../projecting/projector';
import { threadNotifier } from '../projecting/thread-notifier';
import { ONLY_THREAD, type Thread, THREAD } from '../threads/thread-link';
import { READ_MODEL, READ_MODEL_STORE, type ReadModelStore } from './read-model.port';

/** Loaded only where it is used, like every engine's client: it would slow down every start. */
async function openMongoReadModel(url: string, logger?: Logger): Promise<ReadModelStore> {
  const onSetAside = (what: object): void =>
    logger?.error(what, 'a document is too large for MongoDB: reads show it as it was when it last fitted');
  return (await import('./mongodb/mongodb-read-model')).openMongoReadModel(url, { onSetAside });
}

export async function openReadModel(
  { eventStore, readStore, dataDir }: Config,
  logger?: Logger,
  thread: Thread = ONLY_THREAD,
): Promise<ReadModelStore> {
  if (readStore.kind === 'mongodb') return openMongoReadModel(readStore.url, logger);
  const directory = join(dataDir, 'read-model');
  // An unreadable read model is rebuilt from the log.
  if (thread.side !== 'sends') {
    const onDiscard = (err: Error): void =>
      logger?.warn({ err }, 'the read model is unreadable: building it from the log');
    const isLocked = eventStore.kind !== 'embedded';
    return openEmbeddedReadModel(directory, { isLocked, onDiscard });
  }
  const store = await openEmbeddedReadModelBeside(directory);
  // Registered first, because the listeners that are woken next read from the store.
  thread.link.onNotified('shown', () => store.refresh());
  return store;
}

/** Opened beside a running service, for reading only. */
export const openReadModelReadOnly = ({ readStore, dataDir }: Config): Promise<ReadModelStore> =>
  readStore.kind === 'embedded'
    ? openEmbeddedReadModelReadOnly(join(dataDir, 'read-model'))
    : openMongoReadModel(readStore.url);

/** Opened beside a running service, to set bookmarks for it; never creates a read model. */
export async function openReadModelToMark(config: Config): Promise<ReadModelStore> {
  const { readStore, dataDir } = config;
  if (readStore.kind === 'mongodb') return openMongoReadModel(readStore.url);
  const looking = await openReadModelReadOnly(config);
  await looking.close();
  return openEmbeddedReadModelToMark(join(dataDir, 'read-model'));
}

/** On the same engine as the read model but separate: an unreadable read model is discarded, keys never are. */
export async function openPersonalKeyStore({ readStore, dataDir }: Config): Promise<PersonalKeyStore> {
  if (readStore.kind === 'embedded') return new FilePersonalKeyStore(join(dataDir, 'personal-keys'));
  const { MongoPersonalKeyStore } = await import('./mongodb/mongodb-personal-key-store');
  return new MongoPersonalKeyStore(readStore.url);
}

/** For comparison: a separate read model in its own directory. */
export const openReadModelIn = (directory: string): Promise<ReadModelStore> => openEmbeddedReadModel(directory);

const NEIGHBOURS = Symbol('Neighbours');

const mayLead = ({ role }: Config): boolean => role !== 'api';
const maySend = ({ role }: Config, { side }: Thread): boolean => role !== 'api' && side !== 'front';

/** The only file that knows which read stores there are. */
@Global()
@Module({
  providers: [
    History,
    {
      provide: NEIGHBOURS,
      inject: [CONFIG],
      useFactory: ({ dataDir }: Config) => new SocketNeighbours(dataDir),
    },
    { provide: READ_MODEL_STORE, inject: [CONFIG, LOGGER, THREAD], useFactory: openReadModel },
    { provide: READ_MODEL, useExisting: READ_MODEL_STORE },
    { provide: PERSONAL_KEY_STORE, inject: [CONFIG], useFactory: openPersonalKeyStore },
    {
      provide: Leadership,
      inject: [READ_MODEL_STORE, LOGGER, CONFIG, NEIGHBOURS],
      useFactory: ({ lease }: ReadModelStore, logger: Logger, config: Config, neighbours: Neighbours) =>
        new Leadership(lease, logger, systemClocks, neighbours, mayLead(config)),
    },
    {
      provide: Shares,
      inject: [READ_MODEL_STORE, LOGGER, CONFIG, THREAD, NEIGHBOURS, Leadership],
      useFactory: (
        { lease }: ReadModelStore,
        logger: Logger,
        config: Config,
        thread: Thread,
        neighbours: Neighbours,
        { name }: Leadership,
      ) => new Shares(name, lease?.shares, logger, systemClocks, neighbours, maySend(config, thread)),
    },
    {
      provide: Projector,
      inject: [EVENT_STORE, READ_MODEL_STORE, PROJECTIONS, CLOCK, LOGGER, Leadership, THREAD],
      useFactory: (
        store: EventStore,
        model: ReadModelStore,
        projections: readonly Projection[],
        clock: Clock,
        logger: Logger,
        leadership: Leadership,
        thread: Thread,
      ) => new Projector(store, model, projections, clock, logger, () => leadership.leads(), threadNotifier(thread)),
    },
  ],
  exports: [READ_MODEL, READ_MODEL_STORE, PERSONAL_KEY_STORE, History, Leadership, Shares, Projector],
})
export class ReadModelModule {}
