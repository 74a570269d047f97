import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { CONFIG, type Config } from '../../platform/config';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { EVENT_STORE, type EventStore, LOG_START, type Position } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamName } from '../../platform/event-store/stream-name';
import { LOGGER } from '../../platform/logging/logger';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { pause } from '../../kernel/pause';
import { roughPause } from '../../kernel/rough-pause';
import { Leadership } from '../../platform/reacting/leadership';
import { Lag } from '../../platform/projecting/lag';
import { Projector } from '../../platform/projecting/projector';
import { READ_MODEL_STORE, type ReadModelStore } from '../../platform/read-model/read-model.port';
import { AuditIndex, IndexMoved, LogChanged } from './audit-index';
import { checkpointLog } from './checkpoint-log';
import { publishedKey } from './published-key';
import { SigningKey } from './signing-key';

/** Batches new events: a quarter of a second matters neither to proofs nor to auditors. */
const FLUSH_INTERVAL_MS = 250;
const MAX_UNFLUSHED = 512;
const SIGN_INTERVAL_MS = 20_000;
/** A caller that wants a proof of a recent event gets a fresh checkpoint, but not one for each caller. */
const ON_DEMAND_INTERVAL_MS = 500;
const WAIT_TIMEOUT_MS = 5_000;
const LOG_ID = 'main';
export const LOG_STREAM = streamName('transparency_log', LOG_ID);

type Waiter = Readonly<{ position: Position; done: () => void }>;

/**
 * Follows the log, grows the tree over it, and signs checkpoints, which are events like all others. It may be started
 * and stopped again at any time, and checks before each step whether this instance leads. Two instances running at
 * once, because one was paused between the check and the step, are harmless: position or version guards every write.
 */
@Injectable()
export class TransparencyLog {
  private running: Readonly<{ stopping: AbortController; done: Promise<void> }> | undefined;
  private signedAt = -Infinity;
  private signedThrough: Position = LOG_START;
  private version = 0;
  private waiters: Waiter[] = [];
  private lag = new Lag();

  constructor(
    private readonly key: SigningKey,
    private readonly projector: Projector,
    private readonly leadership: Leadership,
    private readonly commands: CommandRunner,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL_STORE) private readonly model: ReadModelStore,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    if (this.running !== undefined) return;
    this.lag = new Lag();
    const stopping = new AbortController();
    this.running = { stopping, done: this.run(stopping.signal) };
  }

  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    running?.stopping.abort();
    await running?.done;
    for (const { done } of this.waiters.splice(0)) done();
  }

  /** The age of the oldest event that is not in the tree yet; 0 where another instance grows it. */
  lagSeconds(): number {
    return this.running === undefined ? 0 : this.lag.seconds(this.clock.now());
  }

  /** Resolves when a checkpoint covers the position, when that takes too long, or if another instance signs. */
  covers(position: Position): Promise<void> {
    if (this.running === undefined || position <= this.signedThrough) return Promise.resolve();
    return new Promise((done) => {
      const waiter = { position, done };
      this.waiters.push(waiter);
      // No caller waits longer than this, whatever state the follower is in.
      setTimeout(() => {
        this.waiters = this.waiters.filter((one) => one !== waiter);
        done();
      }, WAIT_TIMEOUT_MS).unref();
    });
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await this.follow(signal);
      } catch (error) {
        if (error instanceof LogChanged) {
          this.logger.error({ err: error }, 'the log differs from what was signed: no more checkpoints are signed');
          this.lag.lost(this.clock.now());
          return;
        }
        if (error instanceof IndexMoved) failures = 0;
        else this.logger.warn({ err: error }, 'the transparency log failed and starts again');
        await pause(Math.min(100 * 2 ** failures, 5_000), signal);
      }
    }
  }

  private async follow(stopped: AbortSignal): Promise<void> {
    await this.untilLeading(stopped);
    if (stopped.aborted) return;
    // Before anything is asked of the stores: one of them may be away.
    this.lag.begin(this.clock.now());
    const index = new AuditIndex(this.store, this.model, { mayStore: () => this.leadership.leads() });
    const from = await index.open();
    await this.publishKey();
    const broken = new AbortController();
    const signal = AbortSignal.any([stopped, broken.signal]);
    let caughtUp = false;
    const onCaughtUp = (isCertain: boolean): void => {
      caughtUp = true;
      // A node that is not the leader may lack events.
      if (isCertain) this.lag.caughtUp();
    };
    const onLost = (): void => this.lag.lost(this.clock.now());
    const onRefused = (err: unknown): void =>
      this.logger.warn({ err, position: String(from) }, 'the transparency log cannot follow from here, trying again');
    let failure: Error | undefined;
    const storing = this.flushPeriodically(index, signal, () => caughtUp).catch((error: unknown) => {
      failure = error as Error;
      broken.abort();
    });
    try {
      for await (const event of this.store.subscribe(from, { signal, onCaughtUp, onLost, onRefused })) {
        this.lag.arrived(event);
        await index.add(event);
        this.lag.shown(1);
        while (index.unflushed >= MAX_UNFLUSHED && !signal.aborted) await pause(1, signal);
      }
    } finally {
      broken.abort();
      await storing;
    }
    if (failure !== undefined) throw failure;
    await index.flush();
  }

  /** The only place that stores and signs, so that neither happens twice at the same time. */
  private async flushPeriodically(index: AuditIndex, signal: AbortSignal, isCaughtUp: () => boolean): Promise<void> {
    while (!signal.aborted) {
      await index.flush();
      if (isCaughtUp()) await this.signIfDue(index);
      this.notifyWaiters();
      if (index.unflushed >= MAX_UNFLUSHED) continue;
      await (isCaughtUp() ? roughPause(FLUSH_INTERVAL_MS, signal) : pause(5, signal));
    }
  }

  private async signIfDue(index: AuditIndex): Promise<void> {
    const { checkpoints, hasNews } = index.signed;
    // Our own last checkpoint may not have arrived through the subscription yet; sign the next one after it has.
    if (!hasNews || checkpoints < this.version || index.unflushed > MAX_UNFLUSHED) return;
    const isAskedFor = this.waiters.some(({ position }) => position <= index.position);
    if (performance.now() - this.signedAt < (isAskedFor ? ON_DEMAND_INTERVAL_MS : SIGN_INTERVAL_MS)) return;

    const { position, size } = index;
    const about = { origin: this.config.baseUrl, tree_size: size, root: index.root(), time: this.now() };
    await index.flush();
    this.assertLeads();
    // Avoids reading the long stream: the tree has already counted its checkpoints.
    this.commands.seedFold(checkpointLog, LOG_ID, { state: checkpoints, version: checkpoints });
    const command = { after: checkpoints, checkpoint: this.key.checkpoint(about) };
    const signed = await this.commands.run(checkpointLog, LOG_ID, command, context(), { untilReadable: false });
    this.signedAt = performance.now();
    // Another instance signed first; its checkpoint will arrive through the subscription.
    if (signed.events.length === 0) return;
    this.version = signed.version;
    await this.projector.progress.passed(signed.position).catch(() => undefined);
    this.signedThrough = position;
  }

  private async publishKey(): Promise<void> {
    const { id, publicKey } = this.key;
    this.assertLeads();
    const command = { id, publicKey, endorsement: null, at: this.now() };
    await this.commands.run(publishedKey, id, command, context(), { untilReadable: false });
  }

  /** An instance that no longer leads is stopped soon; until then it stays idle. */
  private async untilLeading(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.leadership.leads()) await roughPause(FLUSH_INTERVAL_MS, signal);
  }

  private assertLeads(): void {
    if (!this.leadership.leads()) throw new IndexMoved('the transparency log may be signed by another by now');
  }

  private notifyWaiters(): void {
    const waiting = this.waiters;
    this.waiters = waiting.filter(({ position }) => position > this.signedThrough);
    for (const { position, done } of waiting) if (position <= this.signedThrough) done();
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}

const context = (): CommandContext => ({ requestId: newId('req'), actor: { kind: 'service', id: 'transparency_log' } });
