import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CONFIG, type Config } from '../../platform/config';
import { causedBy, type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { MAILER, type Mailer } from '../../platform/mail/mailer.port';
import { newTokenFor } from '../../platform/secrets/bound-tokens';
import { PersonalData } from '../../platform/secrets/personal-data';
import { hashToken } from '../../platform/secrets/tokens';
import { ForgottenPeople } from '../../access/forgotten-people';
import { accessMail } from './access-mail';
import { AccountIdentity } from './account-identity';
import { emailLink } from './email-link';
import { asAccount, Grants, type NewGrant } from './grants';
import { EMAIL_LINK_SECONDS } from './lifetimes';
import { type MerchantChoice, MerchantChoices } from './merchant-choices';
import { MailAllowance } from './mail-allowance';
import { merchantAccount } from './merchant-account';
import { namedBy, opens } from './one-time-token';
import { type AccountId } from '../../kernel/aggregates';

/** Sends a link to a normalized address, whether or not it is known to us. */
export class SendAccessLink extends Command<void> {
  constructor(
    readonly address: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SendAccessLink)
export class SendAccessLinkHandler implements ICommandHandler<SendAccessLink> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly identity: AccountIdentity,
    private readonly personal: PersonalData,
    private readonly allowance: MailAllowance,
    @Inject(MAILER) private readonly mailer: Mailer,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ address, context }: SendAccessLink): Promise<void> {
    const accountId = this.identity.idOf(address);
    if (!this.allowance.take(accountId)) return;
    try {
      await this.send(address, accountId, context);
    } catch (error) {
      this.allowance.giveBack(accountId);
      throw error;
    }
  }

  private async send(address: string, accountId: AccountId, context: CommandContext): Promise<void> {
    const now = this.clock.now();
    const at = timestamp(now);
    const { keyId, sealed: emailSealed } = await this.personal.seal(accountId, address);
    const register = { kind: 'register', accountId, keyId, emailSealed, at } as const;
    await this.commands.run(merchantAccount, accountId, register, context);

    const linkId = newId('lnk');
    const token = newTokenFor('emailLink', linkId);
    const tokenHash = hashToken(token);
    const expiresAt = timestamp(addSeconds(now, EMAIL_LINK_SECONDS));
    await this.commands.run(emailLink, linkId, { kind: 'issue', linkId, accountId, tokenHash, at, expiresAt }, context);
    await this.mailer.send(accessMail(address, this.config.baseUrl, token));
  }
}

export type VerifiedEmail = NewGrant & Readonly<{ offered: readonly MerchantChoice[] }>;

/** Takes the token of an e-mail link and returns a grant. */
export class VerifyEmail extends Command<VerifiedEmail> {
  constructor(
    readonly token: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(VerifyEmail)
export class VerifyEmailHandler implements ICommandHandler<VerifyEmail> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly grants: Grants,
    private readonly forgotten: ForgottenPeople,
    private readonly choices: MerchantChoices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ token, context }: VerifyEmail): Promise<VerifiedEmail> {
    const linkId = namedBy('emailLink', 'lnk', token);
    const { state, eventId, position } = await this.commands.fold(emailLink, linkId);
    const at = timestamp(this.clock.now());
    if (!opens(token, state, at)) throw refuse('invalid_grant');

    const { accountId } = state;
    if (await this.forgotten.since(accountId, position)) throw refuse('invalid_grant');
    const account = asAccount(context, accountId);
    // The grant comes first: if the process dies before the link is spent, the link still works.
    const grant = await this.grants.issue(accountId, null, causedBy(account, eventId));
    // Read before the link is spent: a read model that lags or is away must not cost the link.
    const offered = await this.choices.offered(accountId, grant.grantId);
    const spend = { kind: 'spend', linkId, grantId: grant.grantId, at } as const;
    await this.commands.run(emailLink, linkId, spend, causedBy(account, grant.eventId), {
      untilReadable: 'if possible',
    });
    return { ...grant, offered };
  }
}
