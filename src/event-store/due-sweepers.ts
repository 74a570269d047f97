import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Document } from '../../projections/projection';
import { LOGGER } from '../http/logger';
import { CLOCK, type Clock } from '../kernel/clock';
import { READ_MODEL, type ReadModel } from '../read-model/read-model.port';
import { type DueSweep, DueSweeper } from './due-sweeper';

/** Where capabilities hand in what runs out, in onModuleInit; the sweeps start when the read model is being built. */
@Injectable()
export class DueSweepers {
  private readonly sweepers: Readonly<{ start(): void; stop(): Promise<void> }>[] = [];

  constructor(
    @Inject(READ_MODEL) private readonly model: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  add<D extends Document>(sweep: DueSweep<D>): void {
    this.sweepers.push(new DueSweeper(this.model, sweep, this.clock, this.logger));
  }

  start(): void {
    for (const sweeper of this.sweepers) sweeper.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.sweepers.map((sweeper) => sweeper.stop()));
  }
}
