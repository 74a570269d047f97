import { type ErrorCode } from './error-catalogue';

/** One problem in the caller's input; `field` is the dotted path as the caller wrote it. */
export type Issue = Readonly<{ code: string; field: string; message: string }>;

export type RefusalParts = Readonly<{
  message?: string;
  field?: string;
  issues?: readonly Issue[];
  details?: Readonly<Record<string, unknown>>;
  /** Extra response headers, such as Retry-After. */
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}>;

/** Every refusal by the service: a code from the catalogue, and what the caller needs to fix it. */
export class Refusal extends Error {
  readonly field: string | undefined;
  readonly issues: readonly Issue[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    parts: RefusalParts = {},
  ) {
    super(parts.message ?? code, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'Refusal';
    this.field = parts.field ?? parts.issues?.[0]?.field;
    this.issues = parts.issues;
    this.details = parts.details;
    this.headers = parts.headers ?? {};
  }
}

/** Reads as a sentence where it is thrown: `throw refuse('request_expired')`. */
export const refuse = (code: ErrorCode, parts?: RefusalParts): Refusal => new Refusal(code, parts);

export type Allowance = Readonly<{ limit: number; remaining: number; resetSeconds: number }>;

/** What is left of an allowance, as callers read it. */
export const allowanceHeaders = ({ limit, remaining, resetSeconds }: Allowance): Readonly<Record<string, string>> => ({
  'RateLimit-Limit': String(limit),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(resetSeconds),
});

/** Names the allowance that is used up, which need not be the one that every call counts against. */
export const refuseTooMany = (allowance: Allowance): Refusal =>
  refuse('rate_limited', {
    headers: { ...allowanceHeaders(allowance), 'Retry-After': String(allowance.resetSeconds) },
  });

/** The response to bad input: every problem at once, so that all can be fixed in one pass. */
export const refuseInput = (issues: readonly Issue[]): Refusal => {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const message = first ? `${first.field ? `${first.field}: ` : ''}${first.message}${more}` : 'The input is not valid.';
  return new Refusal('validation_failed', { message, issues });
};
