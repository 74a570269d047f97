import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { NoteApiKeyUse } from '../../access/api-key-in-use';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { apiKey, type ApiKeyCommand } from './api-key';

/** Any of the key's commands; the decider decides which are allowed. */
export class ChangeApiKey extends Command<void> {
  constructor(
    readonly command: ApiKeyCommand,
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
