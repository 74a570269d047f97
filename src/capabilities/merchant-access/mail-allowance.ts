import { Inject, Injectable } from '@nestjs/common';
import { RateLimiter } from '../../http/server/rate-limits';
import { CLOCK, type Clock } from '../../kernel/clock';
import { EMAIL_LINK_SECONDS } from './lifetimes';
import { type AccountId } from '../../kernel/aggregates';

const MAILS_PER_WINDOW = 5;
const WINDOW_MS = EMAIL_LINK_SECONDS * 1000;
const MAX_ACCOUNTS = 100_000;

/**
 * How many mails one address gets, however many people ask. The window is as long as a link lives: who has used it up
 * has a link in the mailbox that still works, so nobody can be locked out by a stranger who asks in their name.
 */
@Injectable()
export class MailAllowance {
  private readonly sent = new Map<string, { since: number; count: number }>();

  constructor(
    private readonly limiter: RateLimiter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  take(accountId: AccountId): boolean {
    if (!this.limiter.enabled) return true;
    const now = this.clock.now().getTime();
    const known = this.sent.get(accountId);
    if (known !== undefined && now - known.since < WINDOW_MS) {
      known.count += 1;
      return known.count <= MAILS_PER_WINDOW;
    }
    // Kept in the order in which windows began, so what is over stands in front.
    this.sent.delete(accountId);
    this.forget(now);
    this.sent.set(accountId, { since: now, count: 1 });
    return true;
  }

  private forget(now: number): void {
    for (const [accountId, { since }] of this.sent) {
      if (now - since < WINDOW_MS && this.sent.size < MAX_ACCOUNTS) return;
      this.sent.delete(accountId);
    }
  }
}
