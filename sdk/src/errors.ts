/** One problem with the input; `field` is the dotted path as sent. */
export type Issue = Readonly<{ code: string; field: string; message: string }>;

/** One entry of the catalogue at GET /v1/errors. */
export type CatalogueError = Readonly<{
  code: string;
  status: number;
  meaning: string;
  recovery: string;
  retry: 'no' | 'after_fixing' | 'after_refresh' | 'later' | 'start_again';
  same_key: boolean;
}>;

export type SvcErrorParts = Readonly<{
  code: string;
  message: string;
  status: number;
  requestId: string | undefined;
  field?: string | undefined;
  issues?: readonly Issue[] | undefined;
  details?: Readonly<Record<string, unknown>> | undefined;
  retryAfterSeconds?: number | undefined;
  idempotencyKey?: string | undefined;
}>;

/** A refusal by the service. `code` is stable; GET /v1/errors says what each one means and what to do. */
export class SvcError extends Error {
  readonly code: string;
  readonly status: number;
  /** Identifies the call in the service's log. */
  readonly requestId: string | undefined;
  readonly field: string | undefined;
  /** Every problem with the input, not just the first. */
  readonly issues: readonly Issue[];
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
  /** The key that was sent: repeating the call with it never pays twice. */
  readonly idempotencyKey: string | undefined;

  constructor(parts: SvcErrorParts) {
    super(parts.message);
    this.name = 'SvcError';
    this.code = parts.code;
    this.status = parts.status;
    this.requestId = parts.requestId;
    this.field = parts.field;
    this.issues = parts.issues ?? [];
    this.details = parts.details ?? {};
    this.retryAfterSeconds = parts.retryAfterSeconds;
    this.idempotencyKey = parts.idempotencyKey;
  }

  /** Includes everything a log line needs to say what went wrong. */
  override toString(): string {
    const request = this.requestId === undefined ? '' : `, request ${this.requestId}`;
    return `${this.name}: ${this.code} (HTTP ${this.status}${request}): ${this.message}`;
  }
}

/**
 * The time is up and nothing has been decided. Nothing was cancelled: wait again, for as long as you like. `last` is
 * what was last read, if anything.
 */
export class SvcTimeoutError extends Error {
  constructor(
    readonly waitedFor: string,
    readonly timeoutMs: number,
    readonly last?: unknown,
  ) {
    super(`${waitedFor} within ${timeoutMs} ms`);
    this.name = 'SvcTimeoutError';
  }
}

/** No response arrived: whether the call took effect is unknown until it is repeated with the same idempotency key. */
export class SvcConnectionError extends Error {
  readonly idempotencyKey: string | undefined;

  constructor(message: string, cause: unknown, idempotencyKey?: string) {
    super(message, { cause });
    this.name = 'SvcConnectionError';
    this.idempotencyKey = idempotencyKey;
  }
}

/**
 * The cursor to continue from is beyond the newest event: it was kept from another environment, or the service was
 * restored from an older backup. Nothing would ever follow it. Start again from a cursor of this service, or from 0.
 */
export class SvcCursorError extends Error {
  constructor(
    readonly since: number,
    readonly newestCursor: number,
  ) {
    super(`the cursor ${since} is beyond the newest event, which is ${newestCursor}: it does not belong to this feed`);
    this.name = 'SvcCursorError';
  }
}

/** Worth retrying unchanged after a while: there was no response, or the service is busy or unavailable. */
export const isPassing = (error: unknown): boolean =>
  error instanceof SvcConnectionError || (error instanceof SvcError && (error.status === 429 || error.status >= 500));
