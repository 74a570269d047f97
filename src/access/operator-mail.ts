import { type Logger } from 'pino';
import { type MerchantAccountEvent } from '../events/merchant-account.events';
import { type MerchantEvent } from '../events/merchant.events';
import { type AccountId, type MerchantId } from '../kernel/aggregates';
import { type Clock } from '../kernel/clock';
import { type Fold } from '../kernel/decider';
import { type RecordedEvent } from '../platform/event-store/event-store.port';
import { type CommandRunner } from '../platform/event-store/run-command';
import { type Mail, type Mailer } from '../platform/mail/mailer.port';
import { type PersonalData } from '../platform/secrets/personal-data';

const accountOf: Fold<AccountId | null, MerchantEvent> = {
  category: 'merchant',
  initial: null,
  evolve: (known, event) => (event.type === 'MerchantCreated' ? event.data.account_id : known),
};

type SealedAddress = Readonly<{ keyId: string | null; sealed: string }>;

const addressOf: Fold<SealedAddress | null, MerchantAccountEvent> = {
  category: 'merchant_account',
  initial: null,
  evolve: (_known, { data }) => ({ keyId: 'key_id' in data ? data.key_id : null, sealed: data.email_sealed }),
};

const MAX_ATTEMPTS = 5;
/** An older notice is not worth a mail: it was mailed long ago, or no mail could be sent for that long. */
const NEWS_FOR_MS = 24 * 3_600_000;

/** What happened, whose operators are told, and fields for the log. */
export type News = Readonly<{ event: RecordedEvent; at: string; merchantId: MerchantId; about: object }>;

/** For a reactor that tells the operators of a merchant by mail. */
export class OperatorMail {
  /** The notice that is being tried, and how often it has failed. */
  private trying: Readonly<{ eventId: string; failures: number }> | undefined;

  constructor(
    private readonly commands: CommandRunner,
    private readonly personal: PersonalData,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * A mail that cannot be sent must not hold up all those after it. If the read store was lost, the whole log is
   * replayed: what is older than a day is not mailed.
   */
  async tell({ event, at, merchantId, about }: News, mailTo: (address: string) => Mail): Promise<void> {
    if (this.clock.now().getTime() - Date.parse(at) >= NEWS_FOR_MS) {
      // It may have been set aside until now: whoever asked for it again should see why there is no mail.
      this.logger.info(about, 'the notice is more than a day old and is not mailed');
      return;
    }
    const to = await this.addressOfMerchant(merchantId);
    if (to === undefined) return;
    try {
      await this.mailer.send(mailTo(to));
    } catch (error) {
      const { event_id: eventId } = event.metadata;
      const failures = (this.trying?.eventId === eventId ? this.trying.failures : 0) + 1;
      this.trying = { eventId, failures };
      if (failures < MAX_ATTEMPTS) throw error;
      this.trying = undefined;
      this.logger.warn({ err: error, ...about }, 'the notice could not be mailed');
    }
  }

  private async addressOfMerchant(merchantId: MerchantId): Promise<string | undefined> {
    const { state: accountId } = await this.commands.fold(accountOf, merchantId);
    if (accountId === null) return undefined;
    const { state: address } = await this.commands.fold(addressOf, accountId);
    return address === null ? undefined : this.personal.unseal(accountId, address.keyId, address.sealed);
  }
}

/** A notice in paragraphs, the last of which is its link. */
export function noticeMail(to: string, subject: string, paragraphs: readonly string[], link: string): Mail {
  const html = paragraphs.map((one) => `<p>${escaped(one)}</p>`).join('');
  return {
    to,
    subject,
    text: [...paragraphs, link, ''].join('\n\n'),
    html: `<!doctype html><html lang="en"><body>${html}<p><a href="${escaped(link)}">${escaped(link)}</a></p></body></html>\n`,
    link,
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
