/** A wait is counted in steps of this length. */
const STEP_MS = 250;

/**
 * Counts only time in which the process ran. A machine that is suspended or overloaded also keeps us from reading
 * responses, and a peer that answered meanwhile must not be blamed. So a step counts once, however long it took.
 */
export class RunningTimeout {
  private readonly steps: number;
  private readonly timer: NodeJS.Timeout;
  private passed = 0;

  constructor(action: () => void, ms: number) {
    this.steps = Math.ceil(ms / STEP_MS);
    this.timer = setInterval(() => {
      this.passed += 1;
      if (this.passed < this.steps) return;
      this.clear();
      action();
    }, ms / this.steps);
  }

  /** Restarts the whole time from now. */
  refresh(): void {
    this.passed = 0;
    this.timer.refresh();
  }

  clear(): void {
    clearInterval(this.timer);
  }
}
