import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { LOGGER } from '../http/logger';
import { READ_MODEL_STORE, type ReadModelStore } from '../read-model/read-model.port';
import { EVENT_STORE, type EventStore } from './event-store.port';
import { type Reactor, ReactorRunner } from './reactor';

/** Where capabilities hand in their reactors, in onModuleInit; they start when the whole service is wired. */
@Injectable()
export class Reactors {
  private readonly runners: ReactorRunner[] = [];

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL_STORE) private readonly readStore: ReadModelStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  add(reactor: Reactor): void {
    this.runners.push(new ReactorRunner(this.store, this.readStore, reactor, this.logger));
  }

  async start(): Promise<void> {
    await Promise.all(this.runners.map((runner) => runner.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.runners.map((runner) => runner.stop()));
  }
}
