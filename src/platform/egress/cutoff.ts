import { EgressError } from './egress-error';

type Listener = (reason: EgressError) => void;

/**
 * Ends a request at its timeout or when its caller does, whichever comes first. An AbortSignal of its own would do the
 * same, but making one and listening to it takes a seventh of what a whole request to a known address costs: there is
 * one only for what cannot do without, a lookup.
 */
export class Cutoff {
  private cut: EgressError | undefined;
  private readonly listeners = new Set<Listener>();
  private readonly timer: NodeJS.Timeout;
  private readonly cancel = (): void => this.end(new EgressError('cancelled', 'the caller ended the request'));

  constructor(
    timeoutMs: number,
    private readonly caller: AbortSignal | undefined,
  ) {
    const late = (): void => this.end(new EgressError('timeout', `no complete answer within ${timeoutMs} ms`));
    this.timer = setTimeout(late, timeoutMs);
    caller?.addEventListener('abort', this.cancel, { once: true });
    if (caller?.aborted) this.cancel();
  }

  /** Why the request has ended, if it has. */
  get reason(): EgressError | undefined {
    return this.cut;
  }

  throwIfEnded(): void {
    if (this.cut !== undefined) throw this.cut;
  }

  /** The listener is called once at most; only for an end that is still to come. */
  listen(listener: Listener): void {
    this.listeners.add(listener);
  }

  ignore(listener: Listener): void {
    this.listeners.delete(listener);
  }

  /** For work that knows nothing but AbortSignal. */
  signal(): AbortSignal {
    const controller = new AbortController();
    if (this.cut === undefined) this.listen((reason) => controller.abort(reason));
    else controller.abort(this.cut);
    return controller.signal;
  }

  /** Nothing ends the request any more, and neither timer nor caller keeps it in memory. */
  release(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.cancel);
    this.listeners.clear();
  }

  private end(reason: EgressError): void {
    this.cut = reason;
    const told = [...this.listeners];
    this.release();
    for (const listener of told) listener(reason);
  }
}
