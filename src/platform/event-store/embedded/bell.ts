/** Wakes waiting readers. It carries no data: they read the log themselves. */
export class Bell {
  private readonly waiting = new Set<() => void>();

  ring(): void {
    for (const wake of [...this.waiting]) wake();
  }

  /** Resolves at the next ring, or when the signal aborts. */
  nextRing(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
      if (signal.aborted) wake();
    });
  }
}
