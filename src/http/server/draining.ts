import { Injectable } from '@nestjs/common';

/** Signalled once, when the service begins to stop: responses that are held back are then sent at once. */
@Injectable()
export class Draining {
  private readonly beginning = new AbortController();

  get begun(): boolean {
    return this.beginning.signal.aborted;
  }

  begin(): void {
    this.beginning.abort();
  }

  onBegin(listener: () => void): void {
    this.beginning.signal.addEventListener('abort', listener, { once: true });
  }
}
