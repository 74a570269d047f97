import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { endsWithin } from '../../kernel/pause';
import { type Thread, ThreadLink } from '../../platform/threads/thread-link';

/** How long the thread may take to exit after it has said that it is done. */
const EXIT_TIMEOUT_MS = 1_000;

/** Limits the young generation, which V8 would otherwise fill. A limit on Node's command line overrides this one. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8 };

/** A part of the background work in a thread of its own, as seen from the thread that serves requests. */
export class ServiceThread {
  readonly link = new ThreadLink();
  /** The thread at the other end of the link. */
  readonly front: Thread = { side: 'front', link: this.link };
  private worker: Worker | undefined;
  private hasStarted = false;
  private isRetired = false;
  private isEnding = false;
  private ended: (why: Error) => void = () => undefined;
  private readonly end = new Promise<Error>((resolve) => (this.ended = resolve));

  constructor(private readonly file: string) {}

  /** Passes on its log lines, and reports if it fails or exits without being asked to. */
  watch(onLine: (line: string) => void, onFailure: (reason: Error) => void): void {
    this.link.onNotified('log', onLine);
    void this.end.then((why) => {
      this.link.end(why);
      if (!this.isEnding) onFailure(why);
    });
  }

  /**
   * Loads its program, opens the stores, which the serving thread has already opened and checked, and follows the log.
   * Its work begins once the log is known to be this service's.
   */
  async start(isTheLogs: Promise<unknown>): Promise<void> {
    if (this.isEnding) return;
    this.worker = new Worker(join(__dirname, this.file), { resourceLimits: RESOURCE_LIMITS });
    this.worker.once('error', (error) => this.ended(error));
    this.worker.once('exit', () => this.ended(new Error('the thread has ended')));
    this.link.connect(this.worker);
    try {
      await this.link.ask('start');
      this.hasStarted = true;
    } catch (error) {
      this.ended(error as Error);
    }
    await isTheLogs.then(
      () => this.isRetired || this.link.notify('begin'),
      () => undefined,
    );
  }

  /** Sends nothing more. */
  async retire(): Promise<void> {
    this.isRetired = true;
    if (this.hasStarted) await this.link.ask('retire').catch(() => undefined);
  }

  /** Stops in order if it has started; a thread that is still loading has nothing in flight. */
  async stop(): Promise<void> {
    this.isEnding = true;
    if (this.hasStarted) {
      await this.link.ask('stop').catch(() => undefined);
      await endsWithin(EXIT_TIMEOUT_MS, this.end);
    }
    await this.worker?.terminate();
  }
}
