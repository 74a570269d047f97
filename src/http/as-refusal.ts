import { HttpException } from '@nestjs/common';
import { Refusal, refuse } from '../kernel/errors';

/** Whatever was thrown, as a code of the catalogue. What is not ours to explain is an internal_error that tells nothing. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const status = error instanceof HttpException ? error.getStatus() : (error as { status?: unknown } | null)?.status;
  // Nest and Express throw these for unknown routes and for paths with broken percent signs: nothing is there.
  if (status === 404 || status === 400) return refuse('resource_not_found');
  return refuse('internal_error', { cause: error });
}
