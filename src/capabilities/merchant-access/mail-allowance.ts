import { Inject, Injectable } from '@nestjs/common';
import { RateLimiter } from '../../http/server/rate-limits';
import { CLOCK, type Clock } from '../../kernel/clock';
import { RecentlyUsed } from '../../kernel/recently-used';
import { EMAIL_LINK_SECONDS } from './lifetimes';
import { type AccountId } from '../../kernel/aggregates';

const MAX_MAILS = 5;
const MAX_ACCOUNTS = 100_000;

/**
 * How many mails one address gets within the lifetime of a link, however many people ask. Once they are used up, the
 * mailbox holds a link that still works, so a stranger's requests cannot lock anyone out.
 */
@Injectable()
export class MailAllowance {
  /** The times of each account's last mails, oldest first. */
  private readonly sent = new RecentlyUsed<AccountId, readonly number[]>(MAX_ACCOUNTS);

  constructor(
    private readonly limiter: RateLimiter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  take(accountId: AccountId): boolean {
    if (!this.limiter.enabled) return true;
    const recent = this.recentTo(accountId);
    if (recent.length >= MAX_MAILS) return false;
    this.sent.set(accountId, [...recent, this.now()]);
    return true;
  }

  /** For a mail that was not sent: the mailbox holds no link for it. */
  giveBack(accountId: AccountId): void {
    const recent = this.recentTo(accountId);
    if (recent.length > 0) this.sent.set(accountId, recent.slice(0, -1));
  }

  /** A mail from the future does not count: the clock was set back, and otherwise it would count that much longer. */
  private recentTo(accountId: AccountId): readonly number[] {
    const now = this.now();
    const times = this.sent.get(accountId) ?? [];
    return times.filter((time) => time <= now && now - time < EMAIL_LINK_SECONDS * 1000);
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
