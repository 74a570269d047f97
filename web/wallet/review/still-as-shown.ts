import { SvcConnectionError } from '../../../sdk/src/errors.ts';
import { type Review, type ReviewNotice } from '../../../sdk/src/types/review.ts';
import { serviceNow } from '../../live/clock.ts';
import { PageError } from '../../live/page-error.ts';
import { type Unlocked } from '../device/wallet.ts';
import { type Payment } from './payments.ts';
import { readReviewed } from './queries.ts';

const TRY_AGAIN = 'Nothing was signed. Check your connection, then try again.';
const DECIDE_AGAIN = 'Nothing was signed. Look at the notices above, then decide again.';

/**
 * Refuses to sign on what was true only when the page was read. Most of what the notices are about is no event of the
 * device's feed, and a window may have been open for a long time, or without a connection.
 */
export async function stillAsShown({ client, ended }: Unlocked, shown: Payment): Promise<void> {
  const { payment: now } = await readReviewed(client, shown, ended).catch((error: unknown) => {
    if (!(error instanceof SvcConnectionError)) throw error;
    throw new PageError('The service did not answer.', TRY_AGAIN, 'no_answer', { cause: error });
  });
  expectAsShown(shown, now);
}

export function expectAsShown(shown: Payment, now: Payment): void {
  if (now.status !== 'pending' || Date.parse(now.expiresAt) <= serviceNow()) {
    throw new PageError('This request no longer waits for you.', 'Nothing was signed.', 'request_over');
  }
  const unread = newNotices(shown.review, now.review);
  if (unread.length > 0) {
    const words = unread.map(({ message }) => message).join(' ');
    throw new PageError(`This has changed since you looked: ${words}`, DECIDE_AGAIN, 'notices_changed');
  }
}

/** What the person has not read yet. A notice that is gone stops nobody, nor does a newer time in one. */
export const newNotices = (shown: Review | undefined, now: Review | undefined): readonly ReviewNotice[] =>
  (now?.notices ?? []).filter(
    ({ code, severity, request_ids: ids = [] }) =>
      !shown?.notices.some(
        (read) =>
          read.code === code &&
          read.severity === severity &&
          ids.every((id) => read.request_ids?.includes(id) ?? false),
      ),
  );
