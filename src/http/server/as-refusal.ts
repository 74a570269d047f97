import { HttpException } from '@nestjs/common';
import { Refusal, refuse } from '../../kernel/errors';

/** A file could not be written: there is no space, the quota or the largest size is reached, or the disk fails. */
const DISK_PROBLEMS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS']);

/** Said by the router alone, so it tells nothing about ids: those are judged behind a path that exists. */
const NO_SUCH_PATH = 'This path does not exist. GET /openapi.json lists those that do, and /docs shows them.';

/** Whatever was thrown, as a code of the catalogue. What is not ours to explain is an internal_error that tells nothing. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const status = error instanceof HttpException ? error.getStatus() : (error as { status?: unknown } | null)?.status;
  // Nest and Express throw these for unknown routes and for paths with broken percent signs: nothing is there.
  if (status === 404 || status === 400) return refuse('resource_not_found', { message: NO_SUCH_PATH });
  if (DISK_PROBLEMS.has((error as { code?: unknown } | null)?.code)) {
    return refuse('store_unavailable', { headers: { 'Retry-After': '1' }, cause: error });
  }
  // The copy that reads are served from is damaged. Nothing is lost: the process starts anew and builds it from the log.
  if ((error as { name?: unknown } | null)?.name === 'ReadModelUnreadable') {
    return refuse('store_unavailable', { headers: { 'Retry-After': '5' }, cause: error });
  }
  return refuse('internal_error', { cause: error });
}
