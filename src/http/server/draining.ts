import { Injectable } from '@nestjs/common';

/** Told once, when the service begins to stop: whoever holds answers back for later gives them now. */
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
