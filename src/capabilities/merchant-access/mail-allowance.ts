import { Inject, Injectable } from '@nestjs/common';
import { RateLimiter } from '../../http/server/rate-limits';
import { CLOCK, type Clock } from '../../kernel/clock';
import { FixedWindows } from '../../kernel/fixed-windows';
import { EMAIL_LINK_SECONDS } from './lifetimes';
import { type AccountId } from '../../kernel/aggregates';

const MAILS_PER_WINDOW = 5;
const MAX_ACCOUNTS = 100_000;

/**
 * How many mails one address gets, however many people ask. The window is as long as a link is valid: once it is used
 * up, the mailbox holds a link that still works, so a stranger's requests cannot lock anyone out.
 */
@Injectable()
export class MailAllowance {
  private readonly sent = new FixedWindows(EMAIL_LINK_SECONDS * 1000, MAX_ACCOUNTS);

  constructor(
    private readonly limiter: RateLimiter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  take(accountId: AccountId): boolean {
    if (!this.limiter.enabled) return true;
    if (this.sent.use(accountId, this.now()).used <= MAILS_PER_WINDOW) return true;
    // Count only mails that are sent; otherwise a stranger's further requests would use up every refunded mail.
    this.giveBack(accountId);
    return false;
  }

  /** For a mail that was not sent: the mailbox holds no link for it. */
  giveBack(accountId: AccountId): void {
    this.sent.giveBack(accountId, this.now());
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
