import { Inject, Injectable } from '../injection';
import { type Logger } from 'pino';
import { type Collection, type Document } from '../read-model/projection';
import { LOGGER } from '../logging/logger';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { Projector } from '../projecting/projector';
import { Leadership } from './leadership';
import { READ_MODEL, type ReadModel } from '../read-model/read-model.port';
import { type DueSweep, DueSweeper } from './due-sweeper';
import { type Position } from '../event-store/event-store.port';
import { type CommandContext } from '../event-store/event-codec';

/** Where capabilities register what expires, in onModuleInit; sweeps start once the read model is being built. */
@Injectable()
export class DueSweepers {
  private readonly sweepers: Readonly<{ start(): void; stop(): Promise<void> }>[] = [];

  constructor(
    @Inject(READ_MODEL) private readonly model: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly leadership: Leadership,
    private readonly projector: Projector,
  ) {}

  add<D extends Document>(sweep: DueSweep<D>): void {
    // An instance that was paused must leave the rest to the one that has taken over.
    const run = async (document: D, signal: AbortSignal): Promise<void> => {
      if (this.leadership.leads()) await sweep.run(document, signal);
    };
    const shown = (): Position => this.projector.progress.position;
    this.sweepers.push(new DueSweeper(this.model, { ...sweep, run }, this.clock, this.logger, shown));
  }

  /** For documents with an `expires_at` that are in the index `due` for as long as that matters. */
  addExpiry<D extends Document & Readonly<{ expires_at: string }>>(
    name: string,
    collection: Collection<D>,
    expire: (id: D['id'], at: string, context: CommandContext) => Promise<unknown>,
  ): void {
    this.add({
      name,
      collection,
      index: 'due',
      equals: [true],
      dueAt: ({ expires_at }) => expires_at,
      run: async ({ id }) => {
        const context = { requestId: newId('req'), actor: { kind: 'service', id: 'expiry' } };
        await expire(id, timestamp(this.clock.now()), context);
      },
    });
  }

  start(): void {
    for (const sweeper of this.sweepers) sweeper.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.sweepers.map((sweeper) => sweeper.stop()));
  }
}
