import { errorCatalogue, statusOf } from '../../kernel/error-catalogue';
import { type Refusal } from '../../kernel/errors';

const AGENT_SURFACE = /^\/v1\/(agent-payments|automation-policies)(\/|$)/;

/** The older surface wraps its responses differently; everything else about it is the same. */
export const isAgentSurface = (path: string): boolean => AGENT_SURFACE.test(path);

export type ErrorAnswer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: object }>;

export function errorAnswer(refusal: Refusal, path: string, requestId: string, now: Date): ErrorAnswer {
  const { code, field, issues, details } = refusal;
  const status = statusOf(code);
  const known = errorCatalogue[code];
  const message = refusal.message === code ? `${known.meaning} ${known.recovery}` : refusal.message;
  const headers = {
    ...(status === 401 ? { 'WWW-Authenticate': `Bearer realm="svc", error="${code}"` } : {}),
    ...(status === 503 ? { 'Retry-After': '1' } : {}),
    ...refusal.headers,
  };
  const body = isAgentSurface(path)
    ? {
        success: false,
        error: { code, message, details: { ...details, ...(field ? { field } : {}), ...(issues ? { issues } : {}) } },
        request_id: requestId,
        timestamp: now.toISOString(),
      }
    : {
        ok: false,
        error: {
          code,
          message,
          request_id: requestId,
          ...(field ? { field } : {}),
          ...(issues ? { issues } : {}),
          ...(details ? { details } : {}),
        },
      };
  return { status, headers, body };
}
