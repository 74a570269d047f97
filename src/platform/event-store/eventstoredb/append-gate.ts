/**
 * The driver writes appends into one stream of the gRPC call. When that stream's buffer of 16 is full and the call then
 * breaks, it rejects promises that nobody can hold, which ends the process: so there are never as many under way.
 */
const MAX_UNDER_WAY = 15;

/** Longer than the driver's keep-alive takes to notice a dead peer: an append that is silent until then never ends. */
const FORGOTTEN_AFTER_MS = 30_000;

/** Which appends may be under way. The driver's table of them is one for the whole process, and so is this. */
export class AppendGate {
  private underWay = 0;
  /** Of those under way, the ones whose caller still waits. */
  private awaited = 0;
  private ending = 0;
  private readonly queue = new Set<() => void>();
  private readonly whenQuiet = new Set<() => void>();

  /** In the order of asking. What is given up while it queues is never sent. */
  async run<T>(givenUp: AbortSignal, send: () => Promise<T>): Promise<T> {
    if (this.queue.size > 0 || !this.hasRoom()) await this.turn(givenUp);
    else this.underWay += 1;
    const leave = this.enter(givenUp);
    try {
      if (givenUp.aborted) throw new Error('given up before it was sent');
      return await send();
    } finally {
      leave();
    }
  }

  /** Ending a client rejects the appends of all clients: waits until none has a caller, and lets none in meanwhile. */
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
    return this.ending === 0 && this.underWay < MAX_UNDER_WAY;
  }

  /** Resolves when a place was taken for the caller; rejects when it gives up before that. */
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
      this.underWay += 1;
      take();
    }
  }

  private enter(givenUp: AbortSignal): () => void {
    let forgetting: NodeJS.Timeout | undefined;
    let here = true;
    const leave = (): void => {
      clearTimeout(forgetting);
      if (!here) return;
      here = false;
      this.underWay -= 1;
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
      forgetting = setTimeout(leave, FORGOTTEN_AFTER_MS).unref();
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
