import { Inject, Injectable } from '../../platform/injection';
import { type Logger } from 'pino';
import { pause } from '../../kernel/pause';
import { StoreUnavailable } from '../../platform/event-store/event-store.port';
import { LOGGER } from '../../platform/logging/logger';
import { Shares } from '../../platform/reacting/shares';
import { type EndpointId } from '../../kernel/aggregates';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Whether outcomes can be recorded. While they cannot, nothing is sent: a receiver would get everything again whose
 * record was lost. What was already sent is recorded as soon as the store accepts it.
 */
@Injectable()
export class Recording {
  private readonly failing = new Set<object>();
  private readonly ours = new Set<object>();
  private readonly listeners: (() => void)[] = [];
  /** Aborted, and the store has not answered since: what else was to be recorded until then is given up as well. */
  private readonly givenUp = new WeakSet<AbortSignal>();

  constructor(
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    private readonly shares: Shares,
  ) {}

  get works(): boolean {
    return this.failing.size === 0;
  }

  /** Outcomes that fail for another reason than an unavailable store, and are tried again. */
  get stuck(): number {
    return this.ours.size;
  }

  /** Called when recording works again. */
  onWorking(listener: () => void): void {
    this.listeners.push(listener);
  }

  /**
   * Records the outcome of an endpoint's delivery. Undefined if the endpoint belongs to another instance by now or the
   * signal aborted: then nothing is known to be recorded. After a stall it waits until the lease is confirmed:
   * otherwise what was sent would be sent again although no other instance has taken over.
   *
   * A failure that is not the store's says nothing about other outcomes, so nobody else waits for it. With `onStuck` it
   * is reported at once and tried again here, because a message whose outcome is given up is sent again; without, it is
   * given up.
   */
  async untilDone<T>(
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
          if (failures === 0 || (isOurs && !this.ours.has(mine)))
            this.logger.warn({ err: error, webhook_endpoint_id: endpointId }, 'webhook outcomes could not be recorded');
          if (isOurs && onStuck === undefined) return undefined;
        }
        this.moveTo(isOurs ? this.ours : this.failing, mine);
        if (isOurs) onStuck?.();
        // A failure from before the abort says nothing about the store now.
        if (signal.aborted && !isOurs) this.givenUp.add(signal);
        await pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), signal);
        if (signal.aborted) return undefined;
      }
      return undefined;
    } finally {
      this.moveTo(undefined, mine);
    }
  }

  private moveTo(where: Set<object> | undefined, mine: object): void {
    where?.add(mine);
    if (where !== this.ours) this.ours.delete(mine);
    if (where === this.failing || !this.failing.delete(mine) || !this.works) return;
    for (const listener of this.listeners) listener();
  }
}
