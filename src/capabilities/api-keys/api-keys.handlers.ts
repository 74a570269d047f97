import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { NoteApiKeyUse } from '../../access/api-key-in-use';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type Made } from '../../http/input/keyed-draft';
import { type ApiKeyId, idFor, type MerchantId } from '../../kernel/aggregates';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { type MadeUnderKey } from '../../kernel/made-under-key';
import { newTokenFor } from '../../platform/secrets/bound-tokens';
import { DerivedTokens } from '../../platform/secrets/derived-tokens';
import { hashToken, tokenPrefix } from '../../platform/secrets/tokens';
import { apiKey, type ApiKeyCommand } from './api-key';

/** These characters only repeat the key's id, so showing them reveals nothing that grants access. */
const SHOWN_CHARACTERS = tokenPrefix.apiKey.length + 12;

/** The secret is undefined if the key was made before and more than ten minutes ago, or does not work any more. */
export type CreatedApiKey = Made<ApiKeyId> & Readonly<{ secret: string | undefined }>;

export class CreateApiKey extends Command<CreatedApiKey> {
  constructor(
    readonly merchantId: MerchantId,
    readonly name: string,
    readonly under: MadeUnderKey | undefined,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly tokens: DerivedTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ merchantId, name, under, context }: CreateApiKey): Promise<CreatedApiKey> {
    const id = under ? idFor.underKey('key', merchantId, under.idempotency_key) : newId('key');
    // A secret that may be asked for again must be one that can be derived again.
    const secret = under ? this.tokens.first('apiKey', id) : newTokenFor('apiKey', id);
    const now = this.clock.now();
    const about = { merchantId, name, prefix: secret.slice(0, SHOWN_CHARACTERS), tokenHash: hashToken(secret), under };
    const command = { kind: 'create', apiKeyId: id, ...about, at: timestamp(now) } as const;
    const { state, events } = await this.commands.run(apiKey, id, command, context);
    if (events.length > 0) return { id, replayed: false, secret };
    if (state.status !== 'active') return { id, replayed: true, secret: undefined };
    const shown = { hash: state.tokenHash, at: state.createdAt };
    return { id, replayed: true, secret: this.tokens.firstAgain('apiKey', id, shown, now) };
  }
}

/** What needs nothing but the key itself. */
export class ChangeApiKey extends Command<void> {
  constructor(
    readonly command: Extract<ApiKeyCommand, { kind: 'revoke' }>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeApiKey)
export class ChangeApiKeyHandler implements ICommandHandler<ChangeApiKey> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ command, context }: ChangeApiKey): Promise<void> {
    await this.commands.run(apiKey, command.apiKeyId, command, context);
  }
}

@CommandHandler(NoteApiKeyUse)
export class NoteApiKeyUseHandler implements ICommandHandler<NoteApiKeyUse> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ apiKeyId, at, context }: NoteApiKeyUse): Promise<void> {
    await this.commands.run(apiKey, apiKeyId, { kind: 'use', apiKeyId, at }, context);
  }
}
