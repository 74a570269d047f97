import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MerchantFeedEntry } from '../../../projections/merchant-feed.projection';
import { type WebhookRewindDocument, webhookRewinds } from '../../../projections/webhook-rewinds.projection';
import { pause } from '../../kernel/pause';
import { answeredBy, type Target } from './delivery-attempts';
import { type DeliveryParts, type Own } from './delivery-parts';
import { type WalkItem, walkItem } from './feed-walk';
import { type LiveDeliveries } from './live-deliveries';
import { type Taken } from './outcome-log';
import { OutcomeRecorder } from './outcome-recorder';
import { type Job, type Source } from './source';

const PAGE_SIZE = 200;
const MAX_UNRECORDED = 500;
/** After a failure the lane pauses: an unavailable endpoint gets few messages, and each is then retried on its own. */
const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 300_000;
/** The pause between two messages while there is live traffic: a fast receiver would otherwise use all capacity. */
const YIELD_TO_LIVE_MS = 10;
/** How long outcomes are batched for one append; those lost in a crash are sent again. */
const BATCH_DELAY_MS = 200;

/**
 * The rewinds of one endpoint: one after another, and within one the entries in feed order, each sent after the
 * previous one got its response. A lane of its own, one message at a time, so that live traffic does not wait for it.
 */
export class RewindLane implements Source {
  private current: WebhookRewindDocument | undefined;
  private entries: MerchantFeedEntry[] = [];
  private readTo = 0;
  private state: 'free' | 'sending' | 'backing-off' = 'free';
  private failures = 0;
  private recorder = new OutcomeRecorder<Taken>(() => Promise.resolve(false));
  private waiting: Promise<void> | undefined;
  /** The progress recorded by this lane itself, which the read model may not show yet. */
  private recorded: Readonly<{ id: string; reached: number }> | undefined;

  constructor(
    private readonly own: Own,
    private readonly parts: DeliveryParts,
    private readonly live: Pick<LiveDeliveries, 'isPast' | 'openings'>,
    /** Called when something may have become available to take. */
    private readonly onReady: () => void,
  ) {}

  get mayReadOn(): boolean {
    return this.entries.length === 0;
  }

  get isSettled(): boolean {
    return this.recorder.unrecorded === 0;
  }

  settled(): Promise<void> {
    return this.recorder.settled();
  }

  take(): Job | undefined {
    const rewind = this.current;
    const isBusy = this.state !== 'free' || this.recorder.unrecorded >= MAX_UNRECORDED;
    const [entry] = this.entries;
    if (isBusy || rewind === undefined || entry === undefined) return undefined;
    // Live deliveries about the same subject go first; `take` is called again once they are sent.
    if (!this.live.isPast(entry)) return undefined;
    this.entries.shift();
    this.state = 'sending';
    const item = walkItem(entry, this.own.endpointId);
    return (target, answered) => this.send(rewind, item, target, answered);
  }

  async read(): Promise<boolean> {
    const { feed } = this.parts;
    // A message of the previous rewind is still in flight; `read` is called again when it ends.
    if (this.current === undefined && this.state !== 'free') return false;
    const rewind = await this.running();
    if (rewind === undefined) return false;
    const { merchantId } = this.own;
    while (this.entries.length === 0 && this.readTo < rewind.to_cursor) {
      const page = await feed.entries(merchantId, this.readTo, PAGE_SIZE);
      // An embedded store does not yield to the event loop: a long search must not block everything else.
      await nextTurn();
      // Nor may it delay a stop.
      if (this.own.signal.aborted) return false;
      // The rewind was cancelled, or restarts after a failure: this page must not be sent.
      if (this.current !== rewind) return true;
      const last = page.at(-1);
      if (last === undefined) return false;
      const within = page.filter(({ cursor }) => cursor <= rewind.to_cursor);
      this.readTo = Math.min(last.cursor, rewind.to_cursor);
      this.entries.push(...within.filter(({ type }) => rewind.types === null || rewind.types.includes(type)));
    }
    if (this.entries.length > 0) return true;
    if (this.state === 'sending' || this.isRecording()) return false;
    // Record that it is done; the next rewind starts when the read model shows that.
    const isRecorded = this.recorded?.id === rewind.id && this.recorded.reached >= rewind.to_cursor;
    if (isRecorded || (await this.record(rewind, rewind.to_cursor, []))) this.current = undefined;
    return false;
  }

  /** True while outcomes are being recorded. It does not wait for that, because other sources must be able to read. */
  private isRecording(): boolean {
    if (this.isSettled) return false;
    this.waiting ??= this.recorder.settled().then(() => {
      this.waiting = undefined;
      this.onReady();
    });
    return true;
  }

  /** The rewind may have been cancelled. */
  changed(): void {
    this.forget();
  }

  private async running(): Promise<WebhookRewindDocument | undefined> {
    if (this.current !== undefined) return this.current;
    if (this.isRecording()) return undefined;
    const { model } = this.parts;
    const page = { limit: 1, order: 'asc' } as const;
    const [rewind] = (await model.find(webhookRewinds, 'running', [this.own.endpointId], page)).documents;
    this.entries = [];
    const recorded = this.recorded !== undefined && this.recorded.id === rewind?.id ? this.recorded.reached : -1;
    // It is done, but the read model does not show that yet.
    if (rewind !== undefined && recorded >= rewind.to_cursor) return undefined;
    this.current = rewind;
    if (rewind !== undefined) {
      this.readTo = Math.max(rewind.reached, recorded);
      const record = (taken: readonly Taken[]) => this.record(rewind, taken.at(-1)?.item.facts.cursor ?? 0, taken);
      this.recorder = new OutcomeRecorder(record, BATCH_DELAY_MS);
    }
    return rewind;
  }

  private async send(
    rewind: WebhookRewindDocument,
    item: WalkItem,
    target: Target,
    answered: Parameters<Job>[1],
  ): Promise<void> {
    const { attempts, logger } = this.parts;
    const { facts } = item;
    const { position } = this.parts.projector.progress;
    // Shared with live sending, which may just have opened the lane before the read model shows it.
    const { openings } = this.live;
    try {
      // An earlier delivery in its lane was not accepted: this one waits behind it, where both are retried in order.
      if ((await openings.behindOthers([item], position)).size > 0) {
        if (await openings.openWaiting(item, rewind.id)) return this.release(answered, 'neutral');
        return this.goBack(answered);
      }
      const posted = { messageId: facts.delivery_id, body: await attempts.textAgain(item) };
      const attempt = await attempts.post(target, { ...posted, cursor: facts.cursor }, this.own.signal);
      if (attempt !== 'cancelled' && attempt.succeeded) {
        this.failures = 0;
        // The next one is sent as soon as this one has its response; their records share an append.
        void this.recorder.add({ item, attempt }).then((recorded) => recorded || this.forget());
        answered(answeredBy(attempt));
        if (this.parts.capacity.isLive) await pause(YIELD_TO_LIVE_MS, this.own.signal);
        return this.release(answered, answeredBy(attempt));
      }
      // Release the capacity before recording.
      if (attempt !== 'cancelled') answered(answeredBy(attempt));
      const opened = attempt !== 'cancelled' && (await openings.openFailed(item, attempt, target, rewind.id));
      if (opened) return await this.backOff(answered);
    } catch (error) {
      logger.warn({ err: error, webhook_delivery_id: facts.delivery_id }, 'rewind could not be sent, trying again');
    }
    await this.goBack(answered);
  }

  /** Restarts from the last recorded progress. */
  private goBack(answered: Parameters<Job>[1]): Promise<void> {
    this.forget();
    return this.backOff(answered);
  }

  private forget(): void {
    this.current = undefined;
    this.entries = [];
  }

  private async backOff(answered: Parameters<Job>[1]): Promise<void> {
    this.state = 'backing-off';
    answered('neutral');
    await pause(Math.min(MIN_BACKOFF_MS * 2 ** this.failures, MAX_BACKOFF_MS), this.own.signal);
    this.failures += 1;
    this.release(answered, 'neutral');
  }

  private release(answered: Parameters<Job>[1], how: Parameters<Parameters<Job>[1]>[0]): void {
    this.state = 'free';
    answered(how);
    this.onReady();
  }

  private async record({ id: rewindId }: WebhookRewindDocument, reached: number, taken: readonly Taken[]) {
    const { endpointId, merchantId, signal } = this.own;
    const place = { endpointId, merchantId, reached, rewindId };
    const done = await this.parts.outcomes.record(place, taken, signal);
    if (done) this.recorded = { id: rewindId, reached };
    return done;
  }
}
