import { HttpException } from '@nestjs/common';
import { Refusal, refuse } from '../../kernel/errors';

/** A file could not be written: no space, quota or maximum size reached, disk failing or read-only. */
const DISK_PROBLEMS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS']);

/** A file of a store is damaged. The read model is rebuilt from the log by the next start; the log needs an operator. */
const DAMAGES: ReadonlySet<unknown> = new Set(['ReadModelUnreadable', 'StoreCorrupt']);

/** Sent for unknown paths only, so it reveals nothing about ids: those are checked behind a path that exists. */
const NO_SUCH_PATH = 'This path does not exist. GET /openapi.json lists those that do, and /docs shows them.';

/** Maps anything thrown to a catalogue code. What we cannot explain becomes an internal_error without details. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const status = error instanceof HttpException ? error.getStatus() : (error as { status?: unknown } | null)?.status;
  // Nest and Express throw these for unknown routes and for malformed percent-encoding: nothing is there.
  if (status === 404 || status === 400) return refuse('resource_not_found', { message: NO_SUCH_PATH });
  if (DISK_PROBLEMS.has((error as { code?: unknown } | null)?.code)) {
    return refuse('store_unavailable', { headers: { 'Retry-After': '1' }, cause: error });
  }
  if (DAMAGES.has((error as { name?: unknown } | null)?.name)) {
    return refuse('store_unavailable', { headers: { 'Retry-After': '5' }, cause: error });
  }
  return refuse('internal_error', { cause: error });
}
