import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Logger } from 'pino';
import { noticeMail, OperatorMail } from '../../access/operator-mail';
import { type DomainNameProven } from '../../events/domain-name.events';
import { type MerchantDomainSuperseded } from '../../events/merchant.events';
import {
  type RecipientEvent,
  type RecipientVersionActivated,
  type RecipientVersionRetired,
} from '../../events/recipient.events';
import { CLOCK, type Clock } from '../../kernel/clock';
import { type Fold } from '../../kernel/decider';
import { CONFIG, type Config } from '../../platform/config';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { LOGGER } from '../../platform/logging/logger';
import { type Mail, MAILER, type Mailer } from '../../platform/mail/mailer.port';
import { ignored, reactorTo } from '../../platform/reacting/reactor';
import { Reactors } from '../../platform/reacting/reactors';
import { PersonalData } from '../../platform/secrets/personal-data';
import { recipient } from './recipient';
import { type RecipientId } from '../../kernel/aggregates';

const nameOf: Fold<string, RecipientEvent> = {
  category: 'recipient',
  initial: '',
  evolve: (name, event) => (event.type === 'RecipientCreated' ? event.data.name : name),
};

type Words = Readonly<{ subject: string; paragraphs: readonly string[]; page: string }>;

/** Tells a merchant's operators by mail when a payout address changes, or what vouches for it. */
@Injectable()
export class PayeeNoticesReactor implements OnModuleInit {
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
      reactorTo<'recipient' | 'merchant' | 'domain_name'>('payee-notices', {
        RecipientCreated: ignored,
        RecipientVersionAdded: ignored,
        RecipientVersionVerified: ignored,
        RecipientVersionActivated: (event) => this.activated(event),
        RecipientVersionRetired: (event) => this.retired(event),
        MerchantCreated: ignored,
        MerchantRenamed: ignored,
        MerchantActivated: ignored,
        MerchantDomainRegistered: ignored,
        MerchantDomainVerified: ignored,
        MerchantDomainSuperseded: (event) => this.superseded(event),
        MerchantDomainGivenUp: ignored,
        DomainNameProven: (event) => this.takenOver(event),
        DomainNameSeen: ignored,
        DomainNameMissed: ignored,
      }),
    );
  }

  private async activated(event: RecordedEvent & RecipientVersionActivated): Promise<void> {
    const { recipient_id: id, merchant_id: merchantId, recipient_version_id: versionId, activated_at: at } = event.data;
    const { name, what } = await this.payee(id, versionId);
    const isChange = event.data.superseded_version_id !== null;
    await this.tell(
      event,
      merchantId,
      at,
      { recipient_id: id },
      {
        subject: isChange ? `“${name}” is now paid at other details` : `“${name}” can be paid now`,
        paragraphs: [
          `New payments to “${name}” go to: ${what}.`,
          'If this was none of you, retire that version and withdraw what is pending on it:',
        ],
        page: `payees/${id}`,
      },
    );
  }

  private async retired(event: RecordedEvent & RecipientVersionRetired): Promise<void> {
    const { recipient_id: id, merchant_id: merchantId, recipient_version_id: versionId, retired_at: at } = event.data;
    const { number, was_active: wasActive, withdraw_pending: isWithdrawn } = event.data;
    const { name, what } = await this.payee(id, versionId);
    await this.tell(
      event,
      merchantId,
      at,
      { recipient_id: id },
      {
        subject: `Version ${number} of “${name}” was retired`,
        paragraphs: [
          `It is never used again: ${what}.`,
          ...(wasActive ? ['It was the active version: nobody can be asked to pay until another is activated.'] : []),
          ...(isWithdrawn ? ['What was still pending on it is withdrawn.'] : []),
          'The payee:',
        ],
        page: `payees/${id}`,
      },
    );
  }

  private async superseded(event: RecordedEvent & MerchantDomainSuperseded): Promise<void> {
    const { merchant_id: merchantId, domain, superseded_at: at } = event.data;
    await this.tell(
      event,
      merchantId,
      at,
      { domain },
      {
        subject: `Another merchant has proven ${domain}`,
        paragraphs: [
          `Another merchant of this service has proven the domain ${domain}, so your proof of it counts no longer.`,
          'People who are asked to pay you see that it is not proven. If the domain is yours, look at its records, ' +
            'change who may edit them, and prove it again:',
        ],
        page: 'domains',
      },
    );
  }

  /** Only where another merchant had proven the name before; who that is stays untold. */
  private async takenOver(event: RecordedEvent & DomainNameProven): Promise<void> {
    const { holder, superseded, domain, proven_at: at } = event.data;
    if (superseded === null) return;
    await this.tell(
      event,
      holder.merchant_id,
      at,
      { domain },
      {
        subject: `You have proven ${domain}`,
        paragraphs: [
          `You have proven the domain ${domain}. Another merchant of this service had proven it before: that proof counts no longer.`,
          'Your domains:',
        ],
        page: 'domains',
      },
    );
  }

  private async payee(id: RecipientId, versionId: string): Promise<Readonly<{ name: string; what: string }>> {
    const [{ state: name }, { state: known }] = await Promise.all([
      this.commands.fold(nameOf, id),
      this.commands.fold(recipient, id),
    ]);
    const facts = known?.versions.get(versionId)?.facts;
    if (facts === undefined) throw new Error(`${id} has no version ${versionId}`);
    const memo = facts.memo === null ? '' : `, memo ${facts.memo}`;
    return { name, what: `${facts.asset} on ${facts.network} at ${facts.address}${memo}` };
  }

  private tell(
    event: RecordedEvent,
    merchantId: DomainNameProven['data']['holder']['merchant_id'],
    at: string,
    about: object,
    { subject, paragraphs, page }: Words,
  ): Promise<void> {
    const compose = (to: string): Mail =>
      noticeMail(to, subject, paragraphs, `${this.config.baseUrl}/portal/#/${page}`);
    return this.mail.tell({ event, at, merchantId, about }, compose);
  }
}
