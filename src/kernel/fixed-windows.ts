type Window = { readonly began: number; used: number };

/** Counts each key's use within a window that begins with its first use. Memory is bounded: the oldest are dropped. */
export class FixedWindows {
  /** In the order in which they began, so that expired ones come first. */
  private readonly windows = new Map<string, Window>();
  private sweptAt = -Infinity;

  constructor(
    private readonly lengthMs: number,
    private readonly mostKeys: number,
  ) {}

  /** The key's current window, including this use. */
  use(key: string, now: number, cost = 1): Readonly<Window> {
    const known = this.windows.get(key);
    if (known !== undefined && this.isWithin(known.began, now)) {
      known.used += cost;
      return known;
    }
    this.windows.delete(key);
    this.makeRoom(now);
    const window = { began: now, used: cost };
    this.windows.set(key, window);
    return window;
  }

  /**
   * Runs rarely and removes many at once: deleting from the front of a Map leaves holes there, which every later
   * iteration from the front steps over.
   */
  private makeRoom(now: number): void {
    const isFull = this.windows.size >= this.mostKeys;
    if (!isFull && this.isWithin(this.sweptAt, now)) return;
    this.sweptAt = now;
    let left = isFull ? Math.max(1, Math.floor(this.mostKeys / 4)) : 0;
    for (const [key, { began }] of this.windows) {
      if (this.isWithin(began, now) && left <= 0) return;
      this.windows.delete(key);
      left -= 1;
    }
  }

  /**
   * A window that began in the future is over: the clock was set back, and otherwise it would last that much longer.
   */
  private isWithin(began: number, now: number): boolean {
    return began <= now && now - began < this.lengthMs;
  }
}
