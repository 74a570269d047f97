import { pause } from '../../kernel/pause';
import { type Position } from './event-store.port';

/** Behind a look or an append that takes longer than this nobody waits. */
const LONG_MS = 100;
/** From one look to the next, where several share one: so that more do, or an append comes that tells as much. */
const APART_MS = 10;

/** Those who asked between one answer and the next. */
class Asking {
  readonly answer: Promise<Position>;
  /** Undefined where it was not written. */
  append: Promise<Position | undefined> | undefined;
  isAnswered = false;
  by = 0;
  settle!: (position: Position | Promise<Position>) => void;

  constructor() {
    this.answer = new Promise((resolve) => {
      this.settle = (position) => {
        this.isAnswered = true;
        resolve(position);
      };
    });
  }
}

/**
 * Where the log ends, asked once for all who want to know at that moment (as Raft's ReadIndex does): each gets the answer to a
 * look that began after they asked. While one is under way those who come wait for the next. An append that is sent after
 * they asked answers them too: it comes to stand behind everything that was acknowledged by then.
 */
export class SharedLook {
  private underWay: Promise<unknown> | undefined;
  private next: Asking | undefined;
  private appending = 0;
  private readonly listening: (() => void)[] = [];
  private notBefore = -Infinity;

  constructor(private readonly look: () => Promise<Position>) {}

  now(): Promise<Position> {
    if (this.next === undefined) {
      this.next = new Asking();
      void this.serve(this.next, this.underWay);
    }
    this.next.by += 1;
    return this.next.answer;
  }

  /**
   * An append that is sent at this moment, for the first time: the answer to a repeat may tell of a place that the first try
   * got, before anybody asked.
   */
  sent(append: Promise<Position | undefined>): void {
    const { next: asking } = this;
    this.appending += 1;
    const heard = append
      .catch(() => undefined)
      .then((position) => {
        this.appending -= 1;
        if (this.appending === 0) this.tell();
        if (position !== undefined && asking !== undefined) asking.settle(position);
        return position;
      });
    if (asking === undefined) return;
    asking.append = heard;
    this.tell();
    // Whoever asks from now on asks after it was sent.
    this.next = undefined;
  }

  private sentOrQuiet(): Promise<void> {
    return new Promise((resolve) => this.listening.push(resolve));
  }

  private tell(): void {
    for (const told of this.listening.splice(0)) told();
  }

  private async serve(asking: Asking, before: Promise<unknown> | undefined): Promise<void> {
    // Without one before it: those who ask in the same turn.
    await (before === undefined ? undefined : Promise.race([before, pause(LONG_MS)]));
    const tooSoonBy = this.notBefore - performance.now();
    if (tooSoonBy > 0 && asking.append === undefined) await pause(tooSoonBy);
    // Where somebody writes, others are likely to; else nothing is gained by waiting.
    if (this.appending > 0 && asking.append === undefined) await Promise.race([this.sentOrQuiet(), pause(APART_MS)]);
    if (this.next === asking) this.next = undefined;
    await (asking.append === undefined ? undefined : Promise.race([asking.append, pause(LONG_MS)]));
    if (asking.isAnswered) return;
    if (asking.by > 1) this.notBefore = performance.now() + APART_MS;
    const looking = this.look();
    const over: Promise<unknown> = looking
      .catch(() => undefined)
      .finally(() => {
        if (this.underWay === over) this.underWay = undefined;
      });
    this.underWay = over;
    asking.settle(looking);
  }
}
