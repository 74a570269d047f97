/**
 * Rate-limits many waiters by event-loop turn: a few proceed in each turn, in the order in which they asked. All other
 * work waits for no more than these few.
 */
export class Turns {
  private waiting: (() => void)[] = [];
  private first = 0;
  private next: NodeJS.Immediate | undefined;

  constructor(private readonly atOnce: number) {}

  /** Resolves in a later turn, never in this one. */
  myTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.next ??= setImmediate(() => this.give());
    });
  }

  private give(): void {
    const end = Math.min(this.first + this.atOnce, this.waiting.length);
    for (; this.first < end; this.first += 1) this.waiting[this.first]?.();
    const isEmpty = this.first === this.waiting.length;
    // Removing entries from the front of a long list one by one would cost more than the turns themselves.
    if (isEmpty || this.first >= 1_024) {
      this.waiting = this.waiting.slice(this.first);
      this.first = 0;
    }
    this.next = isEmpty ? undefined : setImmediate(() => this.give());
  }
}
