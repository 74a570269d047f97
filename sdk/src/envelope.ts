import { type Issue, SvcError } from './errors.ts';

/** A failure in the format of either API. */
export type Envelope = Readonly<{
  error?: Readonly<{
    code?: string;
    message?: string;
    request_id?: string;
    field?: string;
    issues?: readonly Issue[];
    details?: Readonly<Record<string, unknown>>;
  }>;
  request_id?: string;
}>;

type Failure = Readonly<{
  status: number;
  headers: Headers;
  body: Envelope | undefined;
  text: string;
  idempotencyKey: string | undefined;
}>;

export function errorOf({ status, headers, body, text, idempotencyKey }: Failure): SvcError {
  const requestId = headers.get('x-request-id') ?? undefined;
  const retryAfter = Number(headers.get('retry-after') ?? NaN);
  const common = {
    status,
    idempotencyKey,
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
  };
  const error = body?.error;
  if (typeof error?.code !== 'string') {
    // Not from the service but from something in front of it: a proxy's page, or a wrong address.
    const message = `The answer (HTTP ${status}) is not from the service: ${text.slice(0, 100)}`;
    return new SvcError({ ...common, code: 'unreadable_answer', message, requestId });
  }
  // The agent-payment API keeps field and issues inside details.
  const { field, issues, ...details } = { ...error.details };
  return new SvcError({
    ...common,
    code: error.code,
    message: error.message ?? error.code,
    requestId: error.request_id ?? body?.request_id ?? requestId,
    field: error.field ?? (field as string | undefined),
    issues: error.issues ?? (issues as readonly Issue[] | undefined),
    details,
  });
}

/** JSON from something in front of the service: with a key, whether anything was created is unknown. */
export const incomplete = (status: number, idempotencyKey: string | undefined): SvcError =>
  new SvcError({
    code: 'unreadable_answer',
    message: `The answer (HTTP ${status}) is not from the service: something is missing in it`,
    status,
    requestId: undefined,
    idempotencyKey,
  });
