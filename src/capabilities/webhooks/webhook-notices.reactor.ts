import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Logger } from 'pino';
import { CONFIG, type Config } from '../../platform/config';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { LOGGER } from '../../platform/logging/logger';
import { CLOCK, type Clock } from '../../kernel/clock';
import { type Fold } from '../../kernel/decider';
import { MAILER, type Mail, type Mailer } from '../../platform/mail/mailer.port';
import { type MerchantAccountEvent } from '../../events/merchant-account.events';
import { type MerchantEvent } from '../../events/merchant.events';
import { PersonalData } from '../../platform/secrets/personal-data';
import { webhookEndpoint } from './webhook-endpoint';
import { type WebhookEndpointDisabled } from '../../events/webhook-endpoint.events';
import { type AccountId, type MerchantId } from '../../kernel/aggregates';
import { ignored, reactorTo } from '../../platform/reacting/reactor';

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

/** Sends the merchant a mail after the service itself disabled an endpoint. */
@Injectable()
export class WebhookNoticesReactor implements OnModuleInit {
  /** The notice that is being tried, and how often it has failed. */
  private trying: Readonly<{ eventId: string; failures: number }> | undefined;

  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
    private readonly personal: PersonalData,
    @Inject(MAILER) private readonly mailer: Mailer,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.reactors.add(
      reactorTo<'webhook_endpoint'>('webhook-notices', {
        WebhookEndpointCreated: ignored,
        WebhookEndpointVerified: ignored,
        WebhookEndpointChanged: ignored,
        WebhookEndpointSecretRotated: ignored,
        WebhookEndpointDisabled: (event) => this.sendNotice(event),
        WebhookEndpointEnabled: ignored,
        WebhookEndpointRecoveryRequested: ignored,
        WebhookEndpointDeleted: ignored,
      }),
    );
  }

  /**
   * A mail that cannot be sent must not hold up all those after it. If the read store was lost, the whole log is
   * replayed: notices that are outdated or older than a day are not mailed.
   */
  private async sendNotice(event: RecordedEvent & WebhookEndpointDisabled): Promise<void> {
    const { endpoint_id, merchant_id, reason, disabled_at } = event.data;
    if (reason === 'merchant') return;
    const { state } = await this.commands.fold(webhookEndpoint, endpoint_id);
    if (state?.status !== 'disabled' || state.disabledIn !== event.version) return;
    if (this.clock.now().getTime() - Date.parse(disabled_at) >= NEWS_FOR_MS) {
      // It may have been set aside until now: whoever asked for it again should see why there is no mail.
      const about = { webhook_endpoint_id: endpoint_id, disabled_at };
      this.logger.info(about, 'the notice is more than a day old and is not mailed');
      return;
    }
    const to = await this.addressOfMerchant(merchant_id);
    if (to === undefined) return;
    try {
      await this.mailer.send(notice(to, this.config.baseUrl, new URL(state.url).host, reason));
    } catch (error) {
      const { event_id: eventId } = event.metadata;
      const failures = (this.trying?.eventId === eventId ? this.trying.failures : 0) + 1;
      this.trying = { eventId, failures };
      if (failures < MAX_ATTEMPTS) throw error;
      this.trying = undefined;
      this.logger.warn({ err: error, webhook_endpoint_id: endpoint_id }, 'the notice could not be mailed');
    }
  }

  private async addressOfMerchant(merchantId: MerchantId): Promise<string | undefined> {
    const { state: accountId } = await this.commands.fold(accountOf, merchantId);
    if (accountId === null) return undefined;
    const { state: address } = await this.commands.fold(addressOf, accountId);
    return address === null ? undefined : this.personal.unseal(accountId, address.keyId, address.sealed);
  }
}

/** Only the host: the rest of the URL may hold a secret. */
function notice(to: string, baseUrl: string, host: string, reason: WebhookEndpointDisabled['data']['reason']): Mail {
  const link = `${baseUrl}/portal/#/webhooks`;
  const why = reason === 'gone' ? 'It answered 410 Gone.' : 'Every delivery to it has failed for five days.';
  const lines = [
    `Your webhook endpoint at ${host} was switched off. ${why}`,
    'Events that happen from now on are not sent to it. Payment requests themselves are not affected.',
    'When it works again, switch it on and request what it missed:',
  ];
  return {
    to,
    subject: `Your webhook endpoint at ${host} was switched off`,
    text: [...lines, link, ''].join('\n\n'),
    html: `<!doctype html><html lang="en"><body>${lines.map((line) => `<p>${line}</p>`).join('')}<p><a href="${link}">${link}</a></p></body></html>\n`,
    link,
  };
}
