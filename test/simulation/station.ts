import { type Timeline } from './timeline';

type Job = Readonly<{ ms: number; done: () => void }>;

/** Several processors with one queue: each job occupies one of them. The station can be down for a while. */
export class Station {
  private readonly queue: Job[] = [];
  private first = 0;
  private busy = 0;
  private isOut = false;
  /** Processor time used so far. */
  worked = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly processors: number,
  ) {}

  get waiting(): number {
    return this.queue.length - this.first;
  }

  do(ms: number, done: () => void): void {
    this.queue.push({ ms, done });
    this.goOn();
  }

  /** Starts no more jobs; those in progress finish. */
  fail(): void {
    this.isOut = true;
  }

  recover(): void {
    this.isOut = false;
    this.goOn();
  }

  private goOn(): void {
    while (!this.isOut && this.busy < this.processors && this.waiting > 0) {
      const job = this.queue[this.first] as Job;
      this.first += 1;
      this.shorten();
      this.busy += 1;
      this.worked += job.ms;
      this.timeline.in(job.ms, () => {
        this.busy -= 1;
        job.done();
        this.goOn();
      });
    }
  }

  private shorten(): void {
    if (this.first < 1_024) return;
    this.queue.splice(0, this.first);
    this.first = 0;
  }
}

/** One batch at a time, of everything that waits, up to `most`: a batch has a fixed cost and a cost per item. */
export class Batcher<T> {
  private waiting: T[] = [];
  private isBusy = false;
  private isOut = false;
  private batches = 0;
  private taken = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly cost: Readonly<{ most: number; fixedMs: number; eachMs: number }>,
    private readonly done: (batch: readonly T[]) => void,
  ) {}

  get length(): number {
    return this.waiting.length;
  }

  get usualBatch(): number {
    return this.taken / Math.max(1, this.batches);
  }

  add(item: T): void {
    this.waiting.push(item);
    this.goOn();
  }

  fail(): void {
    this.isOut = true;
  }

  recover(): void {
    this.isOut = false;
    this.goOn();
  }

  private goOn(): void {
    if (this.isBusy || this.isOut || this.waiting.length === 0) return;
    const batch = this.waiting.splice(0, this.cost.most);
    const ms = this.cost.fixedMs + this.cost.eachMs * batch.length;
    this.isBusy = true;
    this.batches += 1;
    this.taken += batch.length;
    this.timeline.in(ms, () => {
      this.isBusy = false;
      this.done(batch);
      this.goOn();
    });
  }
}
