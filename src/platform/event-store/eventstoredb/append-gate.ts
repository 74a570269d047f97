/**
 * The driver writes all appends into the stream of one gRPC call. If the call breaks while that stream's buffer of 16
 * is full, the driver rejects promises that no caller holds, which ends the process. So fewer may be in flight.
 */
const MAX_IN_FLIGHT = 15;

/** Longer than the driver's keep-alive takes to notice a dead peer: an append unanswered until then never settles. */
const ABANDON_AFTER_MS = 30_000;

/** Limits the appends in flight. The driver has one table of them for the whole process, so there is one gate. */
export class AppendGate {
  private inFlight = 0;
  /** The number of appends in flight whose caller still waits. */
  private awaited = 0;
  private ending = 0;
  private readonly queue = new Set<() => void>();
  private readonly whenQuiet = new Set<() => void>();

  /** Runs appends in call order. An append whose caller gives up while it is queued is never sent. */
  async run<T>(givenUp: AbortSignal, send: () => Promise<T>): Promise<T> {
    if (this.queue.size > 0 || !this.hasRoom()) await this.turn(givenUp);
    else this.inFlight += 1;
    const leave = this.enter(givenUp);
    try {
      if (givenUp.aborted) throw new Error('given up before it was sent');
      return await send();
    } finally {
      leave();
    }
  }

  /** Disposing of one client rejects the appends of all: waits until none is awaited, and admits none meanwhile. */
  async whileQuiet(end: () => Promise<void>): Promise<void> {
    this.ending += 1;
    try {
      while (this.awaited > 0) await new Promise<void>((resolve) => this.whenQuiet.add(resolve));
      await end();
    } finally {
      this.ending -= 1;
      this.admit();
    }
  }

  private hasRoom(): boolean {
    return this.ending === 0 && this.inFlight < MAX_IN_FLIGHT;
  }

  /** Resolves when the caller has a slot; rejects if it gives up before that. */
  private turn(givenUp: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.queue.delete(take);
        reject(new Error('given up before it was sent'));
      };
      const take = (): void => {
        givenUp.removeEventListener('abort', giveUp);
        resolve();
      };
      this.queue.add(take);
      givenUp.addEventListener('abort', giveUp, { once: true });
    });
  }

  private admit(): void {
    for (const take of this.queue) {
      if (!this.hasRoom()) return;
      this.queue.delete(take);
      this.inFlight += 1;
      take();
    }
  }

  private enter(givenUp: AbortSignal): () => void {
    let abandonTimer: NodeJS.Timeout | undefined;
    let here = true;
    const leave = (): void => {
      clearTimeout(abandonTimer);
      if (!here) return;
      here = false;
      this.inFlight -= 1;
      this.admit();
    };
    const noLongerAwaited = (): void => {
      this.awaited -= 1;
      if (this.awaited > 0) return;
      this.whenQuiet.forEach((resolve) => resolve());
      this.whenQuiet.clear();
    };
    const abandon = (): void => {
      noLongerAwaited();
      abandonTimer = setTimeout(leave, ABANDON_AFTER_MS).unref();
    };
    this.awaited += 1;
    if (givenUp.aborted) abandon();
    else givenUp.addEventListener('abort', abandon, { once: true });
    return () => {
      givenUp.removeEventListener('abort', abandon);
      if (!givenUp.aborted) noLongerAwaited();
      leave();
    };
  }
}

export const appendGate = new AppendGate();
