import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { projections } from '../../projections';
import { CONFIG, type Config } from '../config';
import { EVENT_STORE, type EventStore } from '../event-store/event-store.port';
import { LOGGER } from '../http/logger';
import { CLOCK, type Clock } from '../kernel/clock';
import { openEmbeddedReadModel } from './embedded/embedded-read-model';
import { openMongoReadModel } from './mongodb/mongodb-read-model';
import { Projector } from './projector';
import { READ_MODEL, READ_MODEL_STORE, type ReadModelStore } from './read-model.port';

export const openReadModel = ({ readStore, dataDir }: Config): Promise<ReadModelStore> =>
  readStore.kind === 'embedded'
    ? // What cannot be read is built again from the log.
      openEmbeddedReadModel(join(dataDir, 'read-model'), { discardUnreadable: true })
    : openMongoReadModel(readStore.url);

/** The only file that knows which read stores there are. */
@Global()
@Module({
  providers: [
    { provide: READ_MODEL_STORE, inject: [CONFIG], useFactory: openReadModel },
    { provide: READ_MODEL, useExisting: READ_MODEL_STORE },
    {
      provide: Projector,
      inject: [EVENT_STORE, READ_MODEL_STORE, CLOCK, LOGGER],
      useFactory: (store: EventStore, model: ReadModelStore, clock: Clock, logger: Logger) =>
        new Projector(store, model, projections, clock, logger),
    },
  ],
  exports: [READ_MODEL, READ_MODEL_STORE, Projector],
})
export class ReadModelModule {}
