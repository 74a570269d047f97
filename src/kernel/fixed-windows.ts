type Window = { readonly began: number; used: number };

/** Counts what each key uses within a time that begins with its first use. Memory is bounded: over it the oldest windows go. */
export class FixedWindows {
  /** In the order in which they began, so that what is over stands in front. */
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly lengthMs: number,
    private readonly mostKeys: number,
  ) {}

  /** The key's window at this moment, with this use. */
  use(key: string, now: number, cost = 1): Readonly<Window> {
    const known = this.windows.get(key);
    if (known !== undefined && now - known.began < this.lengthMs) {
      known.used += cost;
      return known;
    }
    this.windows.delete(key);
    this.makeRoom(now);
    const window = { began: now, used: cost };
    this.windows.set(key, window);
    return window;
  }

  private makeRoom(now: number): void {
    for (const [key, { began }] of this.windows) {
      if (now - began < this.lengthMs && this.windows.size < this.mostKeys) return;
      this.windows.delete(key);
    }
  }
}
