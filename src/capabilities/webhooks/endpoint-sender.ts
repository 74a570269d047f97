import { setImmediate as nextTurn } from 'node:timers/promises';
import { type WebhookQueueDocument } from '../../../projections/webhook-queues.projection';
import { pause } from '../../kernel/pause';
import { type Target } from './delivery-attempts';
import { type DeliveryParts, type Own } from './delivery-parts';
import { LiveDeliveries } from './live-deliveries';
import { RepeatedDeliveries } from './repeated-deliveries';
import { RewindLane } from './rewind-lane';
import { type Guest } from './sending-capacity';
import { type Answered, SendWindow } from './send-window';
import { type Job, type Source } from './source';
import { webhookEndpoint } from './webhook-endpoint';

const REST_MS = 500;

export type SourceName = 'live' | 'due' | 'rewind';
const ALL: readonly SourceName[] = ['live', 'due', 'rewind'];

/**
 * Sends to one endpoint, from three sources: live events, due deliveries and rewinds. It is `idle` until something
 * wakes it; `reading` while it fills its sources from the read model; `resting` for a moment after a failed read; and
 * `closed` for good, when only what is in flight still finishes. It keeps sending in every state but the last.
 */
export class EndpointSender implements Guest {
  private readonly live: LiveDeliveries;
  private readonly again: RepeatedDeliveries;
  private readonly rewinds: RewindLane;
  private readonly window = new SendWindow();
  private state: 'idle' | 'reading' | 'resting' | 'closed' = 'idle';
  /** Sources that may hold more than has been read. */
  private readonly unread = new Set<SourceName>(ALL);
  /** The endpoint from the log; undefined if it must be looked up again. */
  private target: Target | 'off' | undefined;
  /** Counts changes to the endpoint: a lookup that began before the latest one is discarded. */
  private changes = 0;
  private readonly underWay = new Set<Promise<void>>();
  private reading: Promise<void> = Promise.resolve();
  /** Which of the two shared sources goes first, so that neither starves the other. */
  private dueFirst = true;

  constructor(
    readonly own: Own,
    private readonly parts: DeliveryParts,
  ) {
    this.live = new LiveDeliveries(own, parts);
    this.again = new RepeatedDeliveries(own, parts);
    this.rewinds = new RewindLane(own, parts, this.live, () => this.wake('rewind'));
  }

  /** Deliveries that wait for an attempt, as far as they have been read. */
  get open(): number {
    return this.live.open + this.again.open;
  }

  /** Nothing is in flight or yet to be recorded, and nothing can be sent. */
  get isDone(): boolean {
    const isSettled = this.underWay.size === 0 && this.live.isSettled && this.rewinds.isSettled;
    return this.target === 'off' && isSettled && this.state !== 'reading';
  }

  /** There may be something to send. */
  wake(...sources: readonly SourceName[]): void {
    for (const source of sources) this.unread.add(source);
    this.goOn();
  }

  /** A new URL, a new secret, enabled or disabled: everything is looked up again. */
  endpointChanged(): void {
    this.changes += 1;
    this.target = undefined;
    this.again.startOver();
    this.wake(...ALL);
  }

  /** Another process may have changed it, or a notification may have been missed: cheap, and done periodically. */
  async lookAgain(): Promise<void> {
    this.target = undefined;
    this.wake(...ALL);
    await this.live.measure();
  }

  rewindChanged(): void {
    this.rewinds.changed();
    this.wake('rewind');
  }

  sweepDue(queue: WebhookQueueDocument): void {
    if (this.again.sweep(queue)) this.wake('due');
  }

  roomMade(): void {
    this.goOn();
  }

  /**
   * Starts nothing more; resolves when what is in flight has finished and is recorded, or was given up, and no store is
   * read any more: whoever closes this may close the stores next.
   */
  async close(): Promise<void> {
    this.state = 'closed';
    this.parts.capacity.leave(this);
    await this.reading;
    while (this.underWay.size > 0) await Promise.all(this.underWay);
    await Promise.all([this.live.settled(), this.rewinds.settled()]);
  }

  private goOn(): void {
    this.pump();
    if (this.state === 'idle' && this.hasToRead()) this.reading = this.read();
  }

  private hasToRead(): boolean {
    return this.target === undefined || this.nextToRead() !== undefined;
  }

  private nextToRead(): SourceName | undefined {
    if (this.target === 'off') return undefined;
    return ALL.find((name) => this.unread.has(name) && this.sourceOf(name).mayReadOn);
  }

  private async read(): Promise<void> {
    this.state = 'reading';
    try {
      while (this.is('reading') && this.hasToRead()) {
        await this.readOne();
        this.pump();
        // A store in this process responds without waiting, and shows nothing new before its next turn.
        await nextTurn();
      }
      if (this.is('reading')) this.state = 'idle';
    } catch (error) {
      void this.rest(error);
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

  private async rest(error: unknown): Promise<void> {
    if (!this.is('reading')) return;
    this.state = 'resting';
    const { logger } = this.parts;
    logger.warn({ err: error, webhook_endpoint_id: this.own.endpointId }, 'webhooks could not be read, trying again');
    await pause(REST_MS, this.own.signal);
    if (!this.is('resting')) return;
    this.state = 'idle';
    this.wake(...ALL);
  }

  private async lookUp(): Promise<void> {
    const { changes } = this;
    const { endpointId } = this.own;
    const { state: endpoint } = await this.parts.commands.fold(webhookEndpoint, endpointId);
    if (changes === this.changes) this.target = endpoint?.status === 'active' ? { endpointId, endpoint } : 'off';
  }

  private sourceOf(name: SourceName): Source {
    return { live: this.live, due: this.again, rewind: this.rewinds }[name];
  }

  private pump(): void {
    const { target, parts } = this;
    if (target === undefined || target === 'off' || this.is('closed')) return;
    if (!parts.recording.works || !parts.shares.keeps(this.own.endpointId)) return;
    while (this.window.hasRoom && this.sendOne(target, () => this.takeShared(), true));
    while (this.sendOne(target, () => this.rewinds.take(), false));
  }

  private takeShared(): Job | undefined {
    this.dueFirst = !this.dueFirst;
    const [first, second] = this.dueFirst ? [this.again, this.live] : [this.live, this.again];
    return first.take() ?? second.take();
  }

  /** False if there is nothing to send, or no capacity for it. */
  private sendOne(target: Target, take: () => Job | undefined, shared: boolean): boolean {
    const { isFailing } = this.again;
    const job = this.parts.capacity.isFor(this, isFailing) ? take() : undefined;
    if (job === undefined) return false;
    const leave = this.parts.capacity.enter(isFailing, shared);
    const ticket = shared ? this.window.begin() : undefined;
    let hasEnded = false;
    const answered = (how: Answered): void => {
      if (hasEnded) return;
      hasEnded = true;
      if (ticket !== undefined) this.window.end(ticket, how);
      leave();
      this.goOn();
    };
    const work = job(target, answered)
      .catch((error: unknown) => this.parts.logger.warn({ err: error }, 'webhook could not be sent'))
      .finally(() => {
        this.underWay.delete(work);
        answered('otherwise');
        this.goOn();
      });
    this.underWay.add(work);
    return true;
  }
}
