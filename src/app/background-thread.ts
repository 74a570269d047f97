import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { pause } from '../kernel/pause';
import { ThreadLink } from '../platform/threads/thread-link';

/** So long the thread may take to end after it has said that all is done. */
const LAST_CALL_MS = 1_000;

/**
 * The background work in a thread of its own, as the thread that answers sees it. It loads the program by itself at once, and
 * does nothing before it is asked.
 */
export class BackgroundThread {
  readonly link: ThreadLink;
  private readonly worker: Worker;
  private readonly exited: Promise<unknown>;
  private readonly failed: Promise<Error>;
  private isEnding = false;

  constructor() {
    this.worker = new Worker(join(__dirname, 'worker-thread.js'));
    this.link = new ThreadLink(this.worker);
    this.exited = new Promise((resolve) => this.worker.once('exit', resolve));
    this.failed = new Promise((resolve) => this.worker.once('error', resolve));
    void Promise.race([this.failed, this.exited]).then((why) =>
      this.link.end(why instanceof Error ? why : new Error('the background thread has ended')),
    );
  }

  /** Hands on the lines of its log, and says when it has ended although nobody asked it to. */
  watch(onLine: (line: string) => void, onFailure: (reason: unknown) => void): void {
    this.link.onTold('log', onLine);
    void Promise.race([this.failed, this.exited]).then((why) => {
      if (!this.isEnding) onFailure(why);
    });
  }

  /** Opens the stores, which this thread has opened and checked before. */
  open(): Promise<void> {
    return this.link.ask('open');
  }

  /** From here on reads move. */
  follow(): Promise<void> {
    return this.link.ask('follow');
  }

  /** From here on all of the work is done: the log is known to be this service's. */
  begin(): void {
    this.link.tell('begin');
  }

  tryAgain(): void {
    this.link.tell('try-again');
  }

  async retire(): Promise<void> {
    await this.link.ask('retire').catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.isEnding = true;
    await this.link.ask('stop').catch(() => undefined);
    await Promise.race([this.exited, pause(LAST_CALL_MS)]);
    await this.worker.terminate();
  }
}
