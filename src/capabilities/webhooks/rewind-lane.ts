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

const PAGE = 200;
const MOST_UNRECORDED = 500;
/** After a failure the lane pauses: an unavailable endpoint gets few messages, and each is then retried on its own. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 300_000;
/** The pause between two messages while live traffic is sent: a fast receiver would otherwise take all capacity. */
const BREATH_MS = 10;
/** How long records are gathered for one append: what a crash loses of them is sent again. */
const GATHER_MS = 200;

/**
 * The rewinds of one endpoint: one after another, and within one the entries in feed order, each sent after the
 * previous one got its response. A lane of its own, one message at a time, so that live traffic does not wait for it.
 */
export class RewindLane implements Source {
  private current: WebhookRewindDocument | undefined;
  private entries: MerchantFeedEntry[] = [];
  private readTo = 0;
  private state: 'free' | 'sending' | 'resting' = 'free';
  private failures = 0;
  private recorder = new OutcomeRecorder<Taken>(() => Promise.resolve(false));
  private waiting: Promise<void> | undefined;
  /** Reads may lag behind what this lane itself has recorded. */
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
    const isBusy = this.state !== 'free' || this.recorder.unrecorded >= MOST_UNRECORDED;
    const [entry] = this.entries;
    if (isBusy || rewind === undefined || entry === undefined) return undefined;
    // What the endpoint has yet to receive goes first: a rewind must not overtake it. This is called again after that.
    if (!this.live.isPast(entry)) return undefined;
    this.entries.shift();
    this.state = 'sending';
    const item = walkItem(entry, this.own.endpointId);
    return (target, answered) => this.send(rewind, item, target, answered);
  }

  async read(): Promise<boolean> {
    const { feed } = this.parts;
    // What is in flight belongs to the previous rewind; this is called again when it ends.
    if (this.current === undefined && this.state !== 'free') return false;
    const rewind = await this.running();
    if (rewind === undefined) return false;
    const { merchantId } = this.own;
    while (this.entries.length === 0 && this.readTo < rewind.to_cursor) {
      const page = await feed.entries(merchantId, this.readTo, PAGE);
      // A store in this process answers without yielding: a long search must not hold up the others.
      await nextTurn();
      // A long search must not hold up a stop either.
      if (this.own.signal.aborted) return false;
      // The rewind was cancelled, or goes back after a failure: what was read must not be sent.
      if (this.current !== rewind) return true;
      const last = page.at(-1);
      if (last === undefined) return false;
      const within = page.filter(({ cursor }) => cursor <= rewind.to_cursor);
      this.readTo = Math.min(last.cursor, rewind.to_cursor);
      this.entries.push(...within.filter(({ type }) => rewind.types === null || rewind.types.includes(type)));
    }
    if (this.entries.length > 0) return true;
    if (this.state === 'sending' || this.isRecording()) return false;
    // Done: record it; the next rewind starts when reads show that.
    const isRecorded = this.recorded?.id === rewind.id && this.recorded.reached >= rewind.to_cursor;
    if (isRecorded || (await this.record(rewind, rewind.to_cursor, []))) this.current = undefined;
    return false;
  }

  /** While outcomes are being recorded there is nothing to decide; waiting here would keep other sources from reading. */
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
    // Reads do not show yet that it is done.
    if (rewind !== undefined && recorded >= rewind.to_cursor) return undefined;
    this.current = rewind;
    if (rewind !== undefined) {
      this.readTo = Math.max(rewind.reached, recorded);
      const record = (taken: readonly Taken[]) => this.record(rewind, taken.at(-1)?.item.facts.cursor ?? 0, taken);
      this.recorder = new OutcomeRecorder(record, GATHER_MS);
    }
    return rewind;
  }

  private async send(
    rewind: WebhookRewindDocument,
    item: WalkItem,
    target: Target,
    answered: Parameters<Job>[1],
  ): Promise<void> {
    const { attempts, feed, logger } = this.parts;
    const { entry, facts } = item;
    const { position } = this.parts.projector.progress;
    // Those of live sending: reads may not show yet that it has just opened the lane.
    const { openings } = this.live;
    try {
      // An earlier delivery in its lane was not accepted: this one waits behind it, where both are retried in order.
      if ((await openings.behindOthers([item], position)).size > 0) {
        if (await openings.openWaiting(item, rewind.id)) return this.release(answered, 'otherwise');
        return this.goBack(answered);
      }
      const posted = { messageId: facts.delivery_id, body: JSON.stringify(await feed.message(entry)) };
      const attempt = await attempts.post(target, { ...posted, cursor: facts.cursor }, this.own.signal);
      if (attempt !== 'cancelled' && attempt.succeeded) {
        this.failures = 0;
        // The next one is sent as soon as this one has its response; their records share an append.
        void this.recorder.add({ item, attempt }).then((recorded) => recorded || this.forget());
        answered(answeredBy(attempt));
        if (this.parts.capacity.isLive) await pause(BREATH_MS, this.own.signal);
        return this.release(answered, answeredBy(attempt));
      }
      // Nobody else has to wait until that is recorded.
      if (attempt !== 'cancelled') answered(answeredBy(attempt));
      const opened = attempt !== 'cancelled' && (await openings.openFailed(item, attempt, target, rewind.id));
      if (opened) return await this.rest(answered);
    } catch (error) {
      logger.warn({ err: error, webhook_delivery_id: facts.delivery_id }, 'rewind could not be sent, trying again');
    }
    await this.goBack(answered);
  }

  /** Goes back to where progress was last recorded. */
  private goBack(answered: Parameters<Job>[1]): Promise<void> {
    this.forget();
    return this.rest(answered);
  }

  private forget(): void {
    this.current = undefined;
    this.entries = [];
  }

  private async rest(answered: Parameters<Job>[1]): Promise<void> {
    this.state = 'resting';
    answered('otherwise');
    await pause(Math.min(FIRST_REST_MS * 2 ** this.failures, LONGEST_REST_MS), this.own.signal);
    this.failures += 1;
    this.release(answered, 'otherwise');
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
