import { fingerprintOf, type Projection } from '../read-model/projection';
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../event-store/event-store.port';
import { type Clock } from '../../kernel/clock';
import { arriving } from './arriving';
import { endOf, inBatches } from './batches';
import { Lag } from './lag';
import { KnownDocuments } from './known-documents';
import { type Plan, planBatch } from '../read-model/plan-writes';
import { Progress } from './progress';
import { ReadModelCheck } from './read-model-check';
import { resetForRebuild, earlierOf, isBuiltFrom, rebuiltAt } from './rebuilt';
import { type Checkpoint, type ReadModelStore } from '../read-model/read-model.port';
import { noNotifier, type ReadModelNotifier } from './read-model-notifier';
import { type ProjectorLog, undefinedIfUnavailable, warnAndBackOff } from './projector-log';

const BATCH_SIZE = 500;
const MIN_POLL_INTERVAL_MS = 5;
const MAX_POLL_INTERVAL_MS = 50;
const PREPARE_RETRY_MS = 250;

/**
 * Projects the log into the read model: in order, from its checkpoint, and again from there after any crash. Where
 * several instances share the read model, each follows the log, the leader writes, and the others poll its checkpoint.
 */
export class Projector {
  readonly progress = new Progress();
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private readonly lag = new Lag();
  private readonly listeners: ((events: readonly RecordedEvent[]) => void)[] = [];
  private rebuiltAt: Position = LOG_START;
  /** Position of the last of our events that reads show, and of the last that listeners were notified of. */
  private leftAt: Position = LOG_START;
  private notifiedAt: Position | undefined;
  private readonly known: KnownDocuments | undefined;
  private readonly check: ReadModelCheck;
  private readonly fingerprint: string;
  private readonly collections: Projection['collections'];

  constructor(
    private readonly store: EventStore,
    private readonly model: ReadModelStore,
    private readonly projections: readonly Projection[],
    private readonly clock: Clock,
    private readonly log: ProjectorLog,
    private readonly leads: () => boolean = () => true,
    private readonly notifier: ReadModelNotifier = noNotifier,
  ) {
    this.fingerprint = fingerprintOf(projections);
    this.collections = projections.flatMap((projection) => projection.collections);
    this.check = new ReadModelCheck(model, this.fingerprint);
    this.known = model.isRemote ? new KnownDocuments() : undefined;
  }

  /** Prepares the collections, drops what other projections built, and follows the log in the background. */
  async start(): Promise<void> {
    // While the read store is unavailable, or another instance has to prepare it, the service runs but is not ready.
    this.running = this.run(await this.prepare().catch(undefinedIfUnavailable));
  }

  stop(): Promise<void> {
    this.stopping.abort();
    return this.running;
  }

  /** Whether these projections built the read model, from this log as far as known, so that reads make sense. */
  get isFollowing(): boolean {
    return this.progress.isTrusted;
  }

  /**
   * Pending during a rebuild, until reads show everything again: what they lack may still exist. Also while one is
   * needed: what they show may not exist, and what is written would not be shown.
   */
  rebuilding(): Promise<void> | undefined {
    return this.progress.lacks(this.rebuiltAt) ? this.complete() : undefined;
  }

  /** Called after each batch, once reads show it: one hook for all waiting callers instead of a poll from each. */
  onApplied(listener: (events: readonly RecordedEvent[]) => void): void {
    this.listeners.push(listener);
  }

  lagSeconds(): number {
    return this.lag.seconds(this.clock.now());
  }

  /** Resets the read model and rebuilds it up to the current end of the log. */
  async rebuild(onProgress: (applied: number, position: Position) => void): Promise<number> {
    this.known?.forget();
    await this.reset();
    await this.model.prepare(this.collections);
    for (let position = LOG_START, applied = 0; ;) {
      const events = await this.store.readAll(position, BATCH_SIZE);
      if (events.length === 0) return applied;
      position = endOf(events);
      const plan = await this.plan(events);
      if (!this.leads()) throw new Error('another instance has begun to write the read model');
      await this.write(plan, events);
      onProgress((applied += events.length), position);
    }
  }

  private async run(prepared: Checkpoint | undefined): Promise<void> {
    let from = prepared;
    while (!this.stopping.signal.aborted) {
      from ??= await this.prepareUntilDone();
      if (from === undefined) return;
      await this.follow(from);
      from = undefined;
    }
  }

  private async prepareUntilDone(): Promise<Checkpoint | undefined> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted;) {
      try {
        const from = await this.prepare();
        if (from !== undefined) return from;
        await this.notifier.nextNotification(PREPARE_RETRY_MS, signal);
      } catch (error) {
        const message = 'read model could not be prepared, trying again';
        await warnAndBackOff(this.log, (failures += 1), { err: error }, message, signal);
      }
    }
    return undefined;
  }

  /** Where to follow from; undefined while other projections' documents are stored and another instance leads. */
  private async prepare(): Promise<Checkpoint | undefined> {
    const isOurs = await isBuiltFrom(this.store, this.model, this.fingerprint);
    if (!isOurs && !this.leads()) return undefined;
    // Reset before preparing: otherwise new indexes would be built over documents that are about to go.
    if (!isOurs && (await this.reset()))
      this.log.info({}, 'the read model is new or was built by other projections: building it from the log');
    await this.model.prepare(this.collections);
    const { fingerprint, position: checkpoint, event } = await this.model.state();
    // Creating indexes takes time, in which another instance may have begun to lead.
    if (fingerprint !== this.fingerprint) return undefined;
    this.rebuiltAt = await rebuiltAt(this.model, this.store);
    this.leftAt = checkpoint;
    // Listeners must also be notified of what other instances applied while this one did not follow.
    this.notifiedAt = earlierOf(this.notifiedAt ?? checkpoint, checkpoint);
    // Only its subscription tells whether a log elsewhere still reaches this far, also to who waits already.
    if (this.store.isRemote) this.progress.doubt();
    this.progress.restart(checkpoint);
    this.lag.begin(this.clock.now());
    this.invalidate();
    this.notifier.notify();
    return { position: this.notifiedAt, event: this.notifiedAt === checkpoint ? event : undefined };
  }

  /** Follows until stopped, or until the read model was changed by others and must be prepared again. */
  private async follow(from: Checkpoint): Promise<void> {
    const leaving = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, leaving.signal]);
    const leave = (): void => {
      // A check that ends late must not end what was prepared since.
      if (signal.aborted) return;
      this.progress.hide();
      // Otherwise the subscription would end only at its next event.
      leaving.abort();
    };
    if (this.model.isRemote) void this.check.untilChanged(() => this.leftAt, signal).then(leave);
    const { lag, progress, clock, log } = this;
    const arrived = arriving(this.store, from, signal, { lag, progress, clock, log });
    for await (const batch of inBatches(arrived, BATCH_SIZE)) {
      if (!(await this.shown(batch, signal)) || leaving.signal.aborted) return leave();
      this.notifier.notify();
      this.lag.shown(batch.length);
      this.notifiedAt = endOf(batch);
      if (this.notifiedAt > this.leftAt) this.leftAt = this.notifiedAt;
      this.progress.advance(this.notifiedAt, batch.length);
      for (const listener of this.listeners) listener(batch);
    }
  }

  /**
   * True once reads show the batch, whichever instance wrote it. While the read store is unavailable or there is no
   * leader, the batch waits and nothing is skipped. False if stopped first, or if others changed the read model.
   */
  private async shown(batch: readonly RecordedEvent[], signal: AbortSignal): Promise<boolean> {
    for (let nextPoll = MIN_POLL_INTERVAL_MS, failures = 0; !signal.aborted;) {
      try {
        if (this.leads()) {
          if (!(await this.check.isUnchanged(this.leftAt))) return false;
          if (await this.applyAsLeader(batch)) return true;
          continue;
        }
        this.invalidate();
        const checkpoint = await this.check.checkpoint(this.leftAt);
        if (checkpoint === undefined) return false;
        if (checkpoint >= endOf(batch)) return true;
        await this.notifier.nextNotification(nextPoll, signal);
        nextPoll = Math.min(nextPoll * 2, MAX_POLL_INTERVAL_MS);
      } catch (error) {
        this.invalidate();
        const fields = { err: error, position: String(batch[0]?.position) };
        await warnAndBackOff(this.log, (failures += 1), fields, 'projection batch failed, trying again', signal);
      }
    }
    return false;
  }

  /** False if this instance lost leadership while it planned the writes. */
  private async applyAsLeader(batch: readonly RecordedEvent[]): Promise<boolean> {
    const unwritten = batch.filter(({ position }) => position > this.leftAt);
    if (unwritten.length === 0) return true;
    const plan = await this.plan(unwritten);
    if (!this.leads()) return false;
    await this.write(plan, batch);
    return true;
  }

  private async complete(): Promise<void> {
    // A reset in the meantime begins another rebuild.
    while (this.progress.lacks(this.rebuiltAt)) await this.progress.passed(this.rebuiltAt);
  }

  private reset(): Promise<boolean> {
    return resetForRebuild(this.model, this.store, this.fingerprint, this.log);
  }

  private plan(events: readonly RecordedEvent[]): Promise<Plan> {
    const { known, model } = this;
    return planBatch(this.projections, events, (refs) =>
      known ? known.load(refs, (missing) => model.load(missing)) : model.load(refs),
    );
  }

  private async write({ writes, parts, left }: Plan, batch: readonly RecordedEvent[]): Promise<void> {
    await this.model.apply(writes, endOf(batch), parts, batch.at(-1)?.metadata.event_id);
    this.known?.keep(left);
  }

  /** The store may no longer hold what this instance wrote. */
  private invalidate(): void {
    this.check.invalidate();
    this.known?.forget();
  }
}
