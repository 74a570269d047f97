import { Inject, Injectable } from '../../platform/injection';
import { type Logger } from 'pino';
import { pause } from '../../kernel/pause';
import { StoreUnavailable } from '../../platform/event-store/event-store.port';
import { LOGGER } from '../../platform/logging/logger';
import { Shares } from '../../platform/reacting/shares';
import { type EndpointId } from '../../kernel/aggregates';

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/**
 * Whether outcomes can be recorded. While they cannot, nothing is sent: receivers would get every message again whose
 * record was lost. Outcomes of messages already sent are recorded as soon as the store accepts them.
 */
@Injectable()
export class Recording {
  private readonly blockedWrites = new Set<object>();
  private readonly stuckWrites = new Set<object>();
  private readonly listeners: (() => void)[] = [];
  /** Aborted signals whose writes are given up, because the store has not responded since the abort. */
  private readonly givenUp = new WeakSet<AbortSignal>();

  constructor(
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    private readonly shares: Shares,
  ) {}

  get isWorking(): boolean {
    return this.blockedWrites.size === 0;
  }

  /** Outcomes that cannot be recorded although the store is available; they are retried. */
  get stuck(): number {
    return this.stuckWrites.size;
  }

  /** Called when recording works again. */
  onRecovered(listener: () => void): void {
    this.listeners.push(listener);
  }

  /**
   * Records the outcome of an endpoint's delivery. Undefined if the endpoint belongs to another instance by now or the
   * signal aborted: then it is unknown whether anything was recorded. After a stall it waits until the lease is
   * confirmed: otherwise the message would be sent again although no other instance has taken over.
   *
   * A failure not caused by an unavailable store says nothing about other outcomes, so those need not wait for it. With
   * `onStuck`, it is reported at once and retried here, because a message is sent again if its outcome is given up;
   * without, it is given up.
   */
  async retryUntilRecorded<T>(
    endpointId: EndpointId,
    write: () => Promise<T>,
    signal: AbortSignal,
    onStuck?: () => void,
  ): Promise<T | undefined> {
    const mine = {};
    try {
      for (let failures = 0; this.shares.mayHold(endpointId) && !this.givenUp.has(signal); failures += 1) {
        let isOurs = false;
        try {
          if (this.shares.holds(endpointId)) return await write();
          if (failures === 0) this.logger.warn({}, 'webhook outcomes wait until the lease on them is renewed');
        } catch (error) {
          isOurs = !(error instanceof StoreUnavailable);
          if (failures === 0 || (isOurs && !this.stuckWrites.has(mine)))
            this.logger.warn({ err: error, webhook_endpoint_id: endpointId }, 'webhook outcomes could not be recorded');
          if (isOurs && onStuck === undefined) return undefined;
        }
        this.moveTo(isOurs ? this.stuckWrites : this.blockedWrites, mine);
        if (isOurs) onStuck?.();
        // A failure from before the abort says nothing about the store now.
        if (signal.aborted && !isOurs) this.givenUp.add(signal);
        await pause(Math.min(MIN_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS), signal);
        if (signal.aborted) return undefined;
      }
      return undefined;
    } finally {
      this.moveTo(undefined, mine);
    }
  }

  private moveTo(where: Set<object> | undefined, mine: object): void {
    where?.add(mine);
    if (where !== this.stuckWrites) this.stuckWrites.delete(mine);
    if (where === this.blockedWrites || !this.blockedWrites.delete(mine) || !this.isWorking) return;
    for (const listener of this.listeners) listener();
  }
}
