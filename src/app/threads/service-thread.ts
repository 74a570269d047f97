import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { pause } from '../../kernel/pause';
import { ThreadLink } from '../../platform/threads/thread-link';

/** So long the thread may take to end after it has said that all is done. */
const LAST_CALL_MS = 1_000;

/** A part of the background work in a thread of its own, as the thread that answers sees it. It loads at once, and waits to be asked. */
export class ServiceThread {
  readonly link: ThreadLink;
  private readonly worker: Worker;
  private readonly ended: Promise<unknown>;
  private isEnding = false;
  private fail: (reason: unknown) => void = () => undefined;
  private readonly failed = new Promise((resolve) => (this.fail = resolve));

  constructor(file: string) {
    this.worker = new Worker(join(__dirname, file));
    this.link = new ThreadLink(this.worker);
    this.ended = new Promise((resolve) => {
      this.worker.once('error', resolve);
      this.worker.once('exit', () => resolve(new Error('the thread has ended')));
    });
    void this.ended.then((why) => this.link.end(why as Error));
  }

  /** Hands on the lines of its log, and says when it has failed or ended although nobody asked it to. */
  watch(onLine: (line: string) => void, onFailure: (reason: unknown) => void): void {
    this.link.onTold('log', onLine);
    void Promise.race([this.ended, this.failed]).then((why) => {
      if (!this.isEnding) onFailure(why);
    });
  }

  /**
   * Opens the stores, which the thread that answers has opened and checked before, and follows the log. It begins with its work when
   * the log is known to be this service's.
   */
  async start(isTheLogs: Promise<unknown>): Promise<void> {
    await this.link.ask('start').catch((error: unknown) => this.fail(error));
    await isTheLogs.then(
      () => this.link.tell('begin'),
      () => undefined,
    );
  }

  /** Begins nothing more that anybody outside would see. */
  async retire(): Promise<void> {
    await this.link.ask('retire').catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.isEnding = true;
    await this.link.ask('stop').catch(() => undefined);
    await Promise.race([this.ended, pause(LAST_CALL_MS)]);
    await this.worker.terminate();
  }
}
