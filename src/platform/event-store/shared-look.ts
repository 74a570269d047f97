import { endsWithin, pause } from '../../kernel/pause';
import { type Position } from './event-store.port';

/** Nobody waits for a lookup or an append that takes longer than this. */
const LONG_MS = 100;
/** Gap between shared lookups, so that more callers share one or an append arrives that tells as much. */
const APART_MS = 10;

/** The callers that asked between one answer and the next. */
class Asking {
  readonly answer: Promise<Position>;
  /** Resolves to undefined if nothing was written. */
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
 * Where the log ends, looked up once for all callers that ask at about the same time (as Raft's ReadIndex does): each
 * gets the answer to a lookup that began after it asked. Callers that arrive during a lookup wait for the next one. An
 * append sent after they asked answers them too: its position is after everything acknowledged by then.
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
   * An append being sent at this moment, for the first time: a repeat may return the position of the first attempt,
   * from before anyone asked.
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
    // Later callers ask after it was sent.
    this.next = undefined;
  }

  private sentOrQuiet(): Promise<void> {
    return new Promise((resolve) => this.listening.push(resolve));
  }

  private tell(): void {
    for (const told of this.listening.splice(0)) told();
  }

  private async serve(asking: Asking, before: Promise<unknown> | undefined): Promise<void> {
    // With no lookup in flight, this gathers the callers of the same turn.
    await (before === undefined ? undefined : endsWithin(LONG_MS, before));
    const tooSoonBy = this.notBefore - performance.now();
    if (tooSoonBy > 0 && asking.append === undefined) await pause(tooSoonBy);
    // While appends are in flight, more are likely to follow; otherwise waiting gains nothing.
    if (this.appending > 0 && asking.append === undefined) await endsWithin(APART_MS, this.sentOrQuiet());
    if (this.next === asking) this.next = undefined;
    await (asking.append === undefined ? undefined : endsWithin(LONG_MS, asking.append));
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
