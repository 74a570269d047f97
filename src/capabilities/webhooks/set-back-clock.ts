/** A difference this small is drift, which shifts no due time noticeably. */
const MIN_STEP_MS = 500;
/** What comes from a time to come for longer was recorded by another instance, whose clock is ahead of this one's. */
const RECENT_MS = 60_000;

/**
 * Notices when the clock is set back. What was recorded before by a clock that was ahead would be due too late, by as
 * much as that. It waits since a time that is still to come, which shows it; how long it has to wait is known all the
 * same, and counts from when the clock was set back or, if that was before this process, from its first look.
 */
export class SetBackClock {
  private last: Readonly<{ wall: number; steady: number }> | undefined;
  private setBackAt = 0;

  constructor(private readonly steadyNow: () => number = () => performance.now()) {}

  /** Must be called often: the clock is compared with what it showed at the call before. */
  look(now: Date): void {
    const [wall, steady] = [now.getTime(), this.steadyNow()];
    const expected = this.last && this.last.wall + (steady - this.last.steady);
    if (expected === undefined || wall < expected - MIN_STEP_MS) this.setBackAt = steady;
    this.last = { wall, steady };
  }

  /** When it is due, by the steady clock; undefined if the clock need not have been set back. */
  dueBy(since: string, dueAt: string, now: Date): number | undefined {
    const [begun, steady] = [Date.parse(since), this.steadyNow()];
    if (begun <= now.getTime()) return undefined;
    const from = steady - this.setBackAt < RECENT_MS ? this.setBackAt : steady;
    return from + Math.max(0, Date.parse(dueAt) - begun);
  }

  hasReached(steady: number): boolean {
    return steady <= this.steadyNow();
  }
}
