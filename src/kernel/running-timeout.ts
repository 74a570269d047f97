/** So much of a wait is counted at a time. */
const STEP_MS = 250;

/**
 * Acts after so much time in which this process ran. A machine that stands still, or one so busy that we are not heard for
 * seconds, also keeps an answer from being read: whoever has answered meanwhile is not to be blamed for it. So one step is
 * counted, however long it took.
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

  /** All of the time again, from now. */
  refresh(): void {
    this.passed = 0;
    this.timer.refresh();
  }

  clear(): void {
    clearInterval(this.timer);
  }
}
