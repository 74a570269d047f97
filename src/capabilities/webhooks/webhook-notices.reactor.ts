import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Logger } from 'pino';
import { noticeMail, OperatorMail } from '../../access/operator-mail';
import { CONFIG, type Config } from '../../platform/config';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { LOGGER } from '../../platform/logging/logger';
import { CLOCK, type Clock } from '../../kernel/clock';
import { MAILER, type Mail, type Mailer } from '../../platform/mail/mailer.port';
import { PersonalData } from '../../platform/secrets/personal-data';
import { webhookEndpoint } from './webhook-endpoint';
import { type WebhookEndpointDisabled } from '../../events/webhook-endpoint.events';
import { ignored, reactorTo } from '../../platform/reacting/reactor';

/** Sends the merchant a mail after the service itself disabled an endpoint. */
@Injectable()
export class WebhookNoticesReactor implements OnModuleInit {
  private readonly mail: OperatorMail;

  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
    personal: PersonalData,
    @Inject(MAILER) mailer: Mailer,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.mail = new OperatorMail(commands, personal, mailer, clock, logger);
  }

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

  /** One that is outdated is not mailed. */
  private async sendNotice(event: RecordedEvent & WebhookEndpointDisabled): Promise<void> {
    const { endpoint_id, merchant_id: merchantId, reason, disabled_at: at } = event.data;
    if (reason === 'merchant') return;
    const { state } = await this.commands.fold(webhookEndpoint, endpoint_id);
    if (state?.status !== 'disabled' || state.disabledIn !== event.version) return;
    const about = { webhook_endpoint_id: endpoint_id, disabled_at: at };
    await this.mail.tell({ event, at, merchantId, about }, (to) =>
      notice(to, this.config.baseUrl, new URL(state.url).host, reason),
    );
  }
}

/** Only the host: the rest of the URL may hold a secret. */
function notice(to: string, baseUrl: string, host: string, reason: WebhookEndpointDisabled['data']['reason']): Mail {
  const why = reason === 'gone' ? 'It answered 410 Gone.' : 'Every delivery to it has failed for five days.';
  const lines = [
    `Your webhook endpoint at ${host} was switched off. ${why}`,
    'Events that happen from now on are not sent to it. Payment requests themselves are not affected.',
    'When it works again, switch it on and request what it missed:',
  ];
  return noticeMail(to, `Your webhook endpoint at ${host} was switched off`, lines, `${baseUrl}/portal/#/webhooks`);
}
