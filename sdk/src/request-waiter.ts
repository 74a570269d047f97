import { SvcCursorError } from './errors.ts';
import { followEvents, readWithRetries } from './follow-events.ts';
import { type EventPage, type PaymentRequest } from './types/payment.ts';
import { within } from './waiting.ts';

export type WaitOptions = Readonly<{
  signal?: AbortSignal;
  /** How long to wait in total; throws SvcTimeoutError after that. Without it, waits indefinitely. */
  timeoutMs?: number;
  /** Seconds per long poll, 0 to 30. */
  wait?: number;
  /** Stops waiting before the request is final. */
  until?: (request: PaymentRequest) => boolean;
}>;

type Signalled = Readonly<{ signal?: AbortSignal }>;

type Connected = Readonly<{
  pollEvents(query: Readonly<{ since: number; limit: number; wait?: number }>, options: Signalled): Promise<EventPage>;
  readPaymentRequest(requestId: string, options: Signalled): Promise<PaymentRequest>;
}>;

/** Waits for individual requests of one connection. Events only wake it up: what counts is the request itself. */
export class RequestWaiter {
  private seen = 0;

  constructor(private readonly connected: Connected) {}

  waitFor(requestId: string, { signal, timeoutMs, ...options }: WaitOptions): Promise<PaymentRequest> {
    const waitedFor = `${requestId} was not decided`;
    let last: PaymentRequest | undefined;
    const until = (request: PaymentRequest): boolean => {
      last = request;
      return options.until?.(request) ?? false;
    };
    const work = (ended: AbortSignal | undefined) => this.untilDecided(requestId, ended, { ...options, until });
    return within(timeoutMs, waitedFor, signal, work, () => last);
  }

  private async untilDecided(
    requestId: string,
    signal: AbortSignal | undefined,
    { until, wait = 20 }: WaitOptions & Required<Pick<WaitOptions, 'until'>>,
  ): Promise<PaymentRequest> {
    const options: Signalled = signal ? { signal } : {};
    const read = (): Promise<PaymentRequest> => this.connected.readPaymentRequest(requestId, options);
    await this.catchUp(options);
    // Take the cursor before the read: a concurrent wait may already see an event that this read is too early for.
    // The first read fails if the service is unavailable; later reads and polls are retried.
    let since = this.seen;
    for (let request = await read(); ; request = await readWithRetries(read, signal)) {
      if (request.is_final || until(request)) return request;
      since = await this.nextEventOf(requestId, since, wait, options).catch((error: unknown) => {
        if (!(error instanceof SvcCursorError)) throw error;
        // The log was restored from an older backup. The cursor is internal, so just continue from the newest one.
        return (this.seen = error.newestCursor);
      });
      signal?.throwIfAborted();
    }
  }

  /** The cursor of the next event of this request, or the last one seen when the signal ends it. */
  private async nextEventOf(requestId: string, since: number, wait: number, options: Signalled): Promise<number> {
    const poll = (query: Parameters<Connected['pollEvents']>[0]) => this.connected.pollEvents(query, options);
    for await (const { cursor, request_id } of followEvents(poll, { since, sinceIsFresh: true, wait, ...options })) {
      since = cursor;
      this.seen = Math.max(this.seen, cursor);
      if (request_id === requestId) break;
    }
    return since;
  }

  /** Reads all past events before the request is read, so that none is missed in between. */
  private async catchUp(options: Signalled): Promise<void> {
    for (let more = true; more;) {
      const page = await this.connected.pollEvents({ since: this.seen, limit: 200 }, options);
      this.seen = Math.max(this.seen, page.next_cursor);
      more = page.has_more;
    }
  }
}
