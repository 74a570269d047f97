import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { causedBy, type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { Refusal } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { newTokenFor } from '../../platform/secrets/bound-tokens';
import { hashToken } from '../../platform/secrets/tokens';
import { merchantSessions } from '../../../projections/merchant-sessions.projection';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { asAccount, Grants } from './grants';
import { SESSION_SECONDS } from './lifetimes';
import { MerchantChoices } from './merchant-choices';
import { session, type SessionDelivery } from './session';
import { type AccountId, type MerchantId, type SessionId } from '../../kernel/aggregates';

export type OpenedSession = Readonly<{ token: string; merchantId: MerchantId; expiresAt: string }>;
export type SessionOptions = Readonly<{ choice?: string | undefined; delivery: SessionDelivery }>;

/** Spends a grant on a session for one merchant. */
export class OpenMerchantSession extends Command<OpenedSession> {
  constructor(
    readonly grantToken: string,
    readonly options: SessionOptions,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(OpenMerchantSession)
export class OpenMerchantSessionHandler implements ICommandHandler<OpenMerchantSession> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly grants: Grants,
    private readonly choices: MerchantChoices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ grantToken, options, context }: OpenMerchantSession): Promise<OpenedSession> {
    const opened = await this.grants.openedBy(grantToken);
    const { grantId, accountId, eventId } = opened;
    const merchantId = await this.choices.pick(opened, options.choice);

    const now = this.clock.now();
    const at = timestamp(now);
    const expiresAt = timestamp(addSeconds(now, SESSION_SECONDS));
    const sessionId = newId('ses');
    const token = newTokenFor('session', sessionId);
    const tokenHash = hashToken(token);
    const account = asAccount(context, accountId);
    const { delivery } = options;
    // Nobody holds the token yet, so the session may exist first; the grant is not lost if the process dies here.
    const open = { kind: 'open', sessionId, accountId, merchantId, delivery, tokenHash, at, expiresAt } as const;
    const { eventId: openedBy } = await this.commands.run(session, sessionId, open, causedBy(account, eventId));
    const spend = { kind: 'spend-on-session', grantId, merchantId, sessionId, at } as const;
    try {
      await this.grants.spend(spend, causedBy(account, openedBy));
    } catch (error) {
      // Another call spent the grant. After an outage it may have been this one, so the session stays.
      if (error instanceof Refusal && error.code !== 'store_unavailable')
        await this.commands.run(session, sessionId, { kind: 'end', sessionId, at }, causedBy(account, openedBy));
      throw error;
    }
    return { token, merchantId, expiresAt };
  }
}

export class EndMerchantSession extends Command<void> {
  constructor(
    readonly sessionId: SessionId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EndMerchantSession)
export class EndMerchantSessionHandler implements ICommandHandler<EndMerchantSession> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ sessionId, context }: EndMerchantSession): Promise<void> {
    const at = timestamp(this.clock.now());
    await this.commands.run(session, sessionId, { kind: 'end', sessionId, at }, context);
  }
}

const PAGE_SIZE = 100;

/** Every session of one operator, in whichever browser or program it is open. */
export class EndEveryMerchantSession extends Command<void> {
  constructor(
    readonly sessionId: SessionId,
    readonly accountId: AccountId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EndEveryMerchantSession)
export class EndEveryMerchantSessionHandler implements ICommandHandler<EndEveryMerchantSession> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ sessionId: own, accountId, context }: EndEveryMerchantSession): Promise<void> {
    const at = timestamp(this.clock.now());
    const end = (sessionId: SessionId) =>
      this.commands.run(session, sessionId, { kind: 'end', sessionId, at }, context);
    // Expired ones too: by a clock that runs ahead, a session may seem over that is valid again once the clock is right.
    for await (const others of this.others(accountId, own)) await Promise.all(others.map(end));
    // The caller's own session comes last, so that a call that was interrupted can be repeated.
    await end(own);
  }

  /** Newest first: those in use are not kept waiting by those of past years. */
  private async *others(accountId: AccountId, own: SessionId): AsyncGenerator<readonly SessionId[]> {
    let after: PageCursor | undefined;
    do {
      const page = { limit: PAGE_SIZE, after, order: 'desc' } as const;
      const { documents, next } = await this.readModel.find(merchantSessions, 'by_account', [accountId, 'open'], page);
      yield documents.map(({ id }) => id).filter((id) => id !== own);
      after = next ?? undefined;
    } while (after !== undefined);
  }
}
