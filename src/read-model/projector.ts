import { createHash } from 'node:crypto';
import { type Projection } from '../../projections/projection';
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../event-store/event-store.port';
import { type Clock } from '../kernel/clock';
import { pause } from '../kernel/pause';
import { inBatches } from './batches';
import { planWrites } from './plan-writes';
import { Progress } from './progress';
import { type ReadModelStore } from './read-model.port';

export type ProjectorLog = Readonly<{
  info: (fields: object, message: string) => void;
  warn: (fields: object, message: string) => void;
}>;

const BATCH = 500;

/** Plays the log into the read model: in order, from its checkpoint, and again from there after any crash. */
export class Projector {
  readonly progress = new Progress();
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** When the oldest event not yet applied happened; undefined while there is none. */
  private behindSince: number | undefined;
  private unapplied = 0;
  private readonly listeners: ((events: readonly RecordedEvent[]) => void)[] = [];

  constructor(
    private readonly store: EventStore,
    private readonly model: ReadModelStore,
    private readonly projections: readonly Projection[],
    private readonly clock: Clock,
    private readonly log: ProjectorLog,
  ) {}

  /** Prepares the collections, forgets what other projections built, and follows the log in the background. */
  async start(): Promise<void> {
    const from = await this.prepare();
    this.behindSince = this.clock.now().getTime();
    this.running = this.follow(from);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Called after each batch, when reads show it: one hook for all who wait for news, instead of a question from each. */
  onApplied(listener: (events: readonly RecordedEvent[]) => void): void {
    this.listeners.push(listener);
  }

  lagSeconds(): number {
    if (this.behindSince === undefined) return 0;
    return Math.max(0, (this.clock.now().getTime() - this.behindSince) / 1000);
  }

  /** Forgets the read model and builds it anew up to the log's present end. */
  async rebuild(onProgress: (applied: number, position: Position) => void): Promise<number> {
    await this.model.prepare(this.collections());
    await this.model.reset(fingerprintOf(this.projections));
    let position = LOG_START;
    let applied = 0;
    for (;;) {
      const events = await this.store.readAll(position, BATCH);
      if (events.length === 0) return applied;
      position = await this.apply(events);
      applied += events.length;
      onProgress(applied, position);
    }
  }

  private async prepare(): Promise<Position> {
    await this.model.prepare(this.collections());
    const fingerprint = fingerprintOf(this.projections);
    if ((await this.model.fingerprint()) !== fingerprint) {
      await this.model.reset(fingerprint);
      this.log.info({}, 'read model is new or was built by other projections: building it from the log');
    }
    const checkpoint = await this.model.checkpoint();
    this.progress.restart(checkpoint);
    return checkpoint;
  }

  private async follow(from: Position): Promise<void> {
    const onCaughtUp = (): void => {
      if (this.unapplied === 0) this.behindSince = undefined;
    };
    for await (const batch of inBatches(this.arriving(from, onCaughtUp), BATCH)) {
      const checkpoint = await this.applyUntilDone(batch);
      if (checkpoint === undefined) return;
      this.unapplied -= batch.length;
      if (this.unapplied === 0) this.behindSince = undefined;
      this.progress.advance(checkpoint);
      for (const listener of this.listeners) listener(batch);
    }
  }

  private async *arriving(from: Position, onCaughtUp: () => void): AsyncGenerator<RecordedEvent> {
    for await (const event of this.store.subscribe(from, { signal: this.stopping.signal, onCaughtUp })) {
      if (this.unapplied === 0) this.behindSince = Date.parse(event.metadata.occurred_at);
      this.unapplied += 1;
      yield event;
    }
  }

  /** The read store may be away for a while; the log waits. Nothing is skipped. Undefined when stopped before it was done. */
  private async applyUntilDone(batch: readonly RecordedEvent[]): Promise<Position | undefined> {
    for (let failures = 0; !this.stopping.signal.aborted; failures += 1) {
      try {
        return await this.apply(batch);
      } catch (error) {
        this.log.warn({ err: error, position: String(batch[0]?.position) }, 'projection batch failed, trying again');
        await pause(Math.min(100 * 2 ** failures, 5_000), this.stopping.signal);
      }
    }
    return undefined;
  }

  private async apply(events: readonly RecordedEvent[]): Promise<Position> {
    const checkpoint = events.at(-1)?.position ?? LOG_START;
    const writes = await planWrites(this.projections, events, (refs) => this.model.load(refs));
    await this.model.apply(writes, checkpoint);
    return checkpoint;
  }

  private collections() {
    return this.projections.flatMap((projection) => projection.collections);
  }
}

/** Who builds the read model. A different answer means different documents, so they are built anew. */
export function fingerprintOf(projections: readonly Projection[]): string {
  const parts = projections.map(({ name, version, collections }) => [name, version, collections]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
