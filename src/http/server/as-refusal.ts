import { HttpException } from '@nestjs/common';
import { Refusal, refuse } from '../../kernel/errors';

/** A file could not be written: there is no space, the quota or the largest size is reached, or the disk fails. */
const DISK_PROBLEMS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS']);

/** Whatever was thrown, as a code of the catalogue. What is not ours to explain is an internal_error that tells nothing. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const status = error instanceof HttpException ? error.getStatus() : (error as { status?: unknown } | null)?.status;
  // Nest and Express throw these for unknown routes and for paths with broken percent signs: nothing is there.
  if (status === 404 || status === 400) return refuse('resource_not_found');
  if (DISK_PROBLEMS.has((error as { code?: unknown } | null)?.code)) {
    return refuse('store_unavailable', { headers: { 'Retry-After': '1' }, cause: error });
  }
  return refuse('internal_error', { cause: error });
}
