import { setImmediate as nextTurn } from 'node:timers/promises';
import { type WebhookQueueDocument } from '../../../projections/webhook-queues.projection';
import { pause } from '../../kernel/pause';
import { type Target } from './delivery-attempts';
import { type DeliveryParts, type Own } from './delivery-parts';
import { LiveDeliveries } from './live-deliveries';
import { RepeatedDeliveries } from './repeated-deliveries';
import { RewindLane } from './rewind-lane';
import { type CapacityUser } from './sending-capacity';
import { type Answered, SendWindow } from './send-window';
import { type Job, type Source } from './source';
import { webhookEndpoint } from './webhook-endpoint';

const RETRY_DELAY_MS = 500;

export type SourceName = 'live' | 'due' | 'rewind';
const ALL_SOURCES: readonly SourceName[] = ['live', 'due', 'rewind'];

/**
 * Sends to one endpoint, from three sources: live events, due deliveries and rewinds. It is `idle` until something
 * wakes it; `reading` while it fills its sources from the read model; `backing-off` after a failed read; and finally
 * `closed`, when only messages in flight still finish. It keeps sending in every state but the last.
 */
export class EndpointSender implements CapacityUser {
  private readonly live: LiveDeliveries;
  private readonly repeated: RepeatedDeliveries;
  private readonly rewinds: RewindLane;
  private readonly window = new SendWindow();
  private state: 'idle' | 'reading' | 'backing-off' | 'closed' = 'idle';
  /** Sources that may hold more than has been read. */
  private readonly unread = new Set<SourceName>(ALL_SOURCES);
  /** The endpoint from the log; undefined if it must be looked up again. */
  private target: Target | 'off' | undefined;
  /** Counts changes to the endpoint: a lookup that began before the latest one is discarded. */
  private changes = 0;
  private readonly inFlight = new Set<Promise<void>>();
  private reading: Promise<void> = Promise.resolve();
  /** Which of the two shared sources goes first, so that neither starves the other. */
  private dueFirst = true;

  constructor(
    readonly own: Own,
    private readonly parts: DeliveryParts,
  ) {
    this.live = new LiveDeliveries(own, parts);
    this.repeated = new RepeatedDeliveries(own, parts);
    this.rewinds = new RewindLane(own, parts, this.live, () => this.wake('rewind'));
  }

  /** Deliveries waiting for an attempt, as far as they have been read. */
  get open(): number {
    return this.live.open + this.repeated.open;
  }

  /** Nothing is in flight or waiting to be recorded, and nothing can be sent. */
  get isDone(): boolean {
    const isSettled = this.inFlight.size === 0 && this.live.isSettled && this.rewinds.isSettled;
    return this.target === 'off' && isSettled && this.state !== 'reading';
  }

  /** There may be something to send. */
  wake(...sources: readonly SourceName[]): void {
    for (const source of sources) this.unread.add(source);
    this.proceed();
  }

  /** The URL, secret or status may have changed, so everything is looked up again. */
  endpointChanged(): void {
    this.changes += 1;
    this.target = undefined;
    this.repeated.startOver();
    this.wake(...ALL_SOURCES);
  }

  /** Runs periodically, in case another process changed the endpoint or a notification was missed. It is cheap. */
  async recheck(): Promise<void> {
    this.target = undefined;
    this.wake(...ALL_SOURCES);
    await this.live.measure();
  }

  rewindChanged(): void {
    this.rewinds.changed();
    this.wake('rewind');
  }

  sweepDue(queue: WebhookQueueDocument): void {
    if (this.repeated.sweep(queue)) this.wake('due');
  }

  onCapacityFreed(): void {
    this.proceed();
  }

  /**
   * Starts nothing more. Resolves when everything in flight is recorded or given up and no more reads are running, so
   * that the caller may close the stores next.
   */
  async close(): Promise<void> {
    this.state = 'closed';
    this.parts.capacity.forget(this);
    await this.reading;
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
    await Promise.all([this.live.settled(), this.rewinds.settled()]);
  }

  private proceed(): void {
    this.pump();
    if (this.state === 'idle' && this.hasToRead()) this.reading = this.read();
  }

  private hasToRead(): boolean {
    return this.target === undefined || this.nextToRead() !== undefined;
  }

  private nextToRead(): SourceName | undefined {
    if (this.target === 'off') return undefined;
    return ALL_SOURCES.find((name) => this.unread.has(name) && this.sourceOf(name).mayReadOn);
  }

  private async read(): Promise<void> {
    this.state = 'reading';
    try {
      while (this.is('reading') && this.hasToRead()) {
        await this.readOne();
        this.pump();
        // An embedded store responds without yielding to the event loop, and shows nothing new until it gets a turn.
        await nextTurn();
      }
      if (this.is('reading')) this.state = 'idle';
    } catch (error) {
      void this.backOff(error);
    }
    this.pump();
  }

  private async readOne(): Promise<void> {
    if (this.target === undefined) return this.lookUp();
    const next = this.nextToRead();
    if (next === undefined) return;
    this.unread.delete(next);
    if (await this.sourceOf(next).read()) this.unread.add(next);
  }

  private is(state: typeof this.state): boolean {
    return this.state === state;
  }

  private async backOff(error: unknown): Promise<void> {
    if (!this.is('reading')) return;
    this.state = 'backing-off';
    const { logger } = this.parts;
    logger.warn({ err: error, webhook_endpoint_id: this.own.endpointId }, 'webhooks could not be read, trying again');
    await pause(RETRY_DELAY_MS, this.own.signal);
    if (!this.is('backing-off')) return;
    this.state = 'idle';
    this.wake(...ALL_SOURCES);
  }

  private async lookUp(): Promise<void> {
    const { changes } = this;
    const { endpointId } = this.own;
    const { state: endpoint } = await this.parts.commands.fold(webhookEndpoint, endpointId);
    if (changes === this.changes) this.target = endpoint?.status === 'active' ? { endpointId, endpoint } : 'off';
  }

  private sourceOf(name: SourceName): Source {
    return { live: this.live, due: this.repeated, rewind: this.rewinds }[name];
  }

  private pump(): void {
    const { target, parts } = this;
    if (target === undefined || target === 'off' || this.is('closed')) return;
    if (!parts.recording.isWorking || !parts.shares.keeps(this.own.endpointId)) return;
    while (this.window.hasRoom && this.sendOne(target, () => this.takeShared(), true));
    while (this.sendOne(target, () => this.rewinds.take(), false));
  }

  private takeShared(): Job | undefined {
    this.dueFirst = !this.dueFirst;
    const [first, second] = this.dueFirst ? [this.repeated, this.live] : [this.live, this.repeated];
    return first.take() ?? second.take();
  }

  /** False if there is nothing to send, or no capacity for it. */
  private sendOne(target: Target, take: () => Job | undefined, shared: boolean): boolean {
    const { isFailing } = this.repeated;
    const job = this.parts.capacity.isAvailableFor(this, isFailing) ? take() : undefined;
    if (job === undefined) return false;
    const releaseCapacity = this.parts.capacity.acquire(this, isFailing, shared);
    const ticket = shared ? this.window.begin() : undefined;
    let hasEnded = false;
    const answered = (how: Answered): void => {
      if (hasEnded) return;
      hasEnded = true;
      if (ticket !== undefined) this.window.end(ticket, how);
      releaseCapacity();
      this.proceed();
    };
    const work = job(target, answered)
      .catch((error: unknown) => this.parts.logger.warn({ err: error }, 'webhook could not be sent'))
      .finally(() => {
        this.inFlight.delete(work);
        answered('neutral');
        this.proceed();
      });
    this.inFlight.add(work);
    return true;
  }
}
