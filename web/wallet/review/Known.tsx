import { type Review } from '../../../sdk/src/types/review.ts';

/** Filled in when the service tells it. */
export function Known(_: Readonly<{ review: Review | undefined }>) {
  return null;
}
