import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CONFIG, type Config } from '../../app/config';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type Proof } from './evidence';
import { merchantDomains } from './merchant-domains';
import {
  type ActivateVersion,
  type AddVersion,
  type CreateRecipient,
  recipient,
  type VerifyVersion,
} from './recipient';

/** What needs nothing from outside the recipient's own stream. */
export class ChangeRecipient extends Command<void> {
  constructor(
    readonly command: CreateRecipient | AddVersion,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeRecipient)
export class ChangeRecipientHandler implements ICommandHandler<ChangeRecipient> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ command, context }: ChangeRecipient): Promise<void> {
    await this.commands.run(recipient, command.recipientId, command, context);
  }
}

export class VerifyRecipientVersion extends Command<void> {
  constructor(
    readonly command: Omit<VerifyVersion, 'proof'>,
    readonly sourceId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(VerifyRecipientVersion)
export class VerifyRecipientVersionHandler implements ICommandHandler<VerifyRecipientVersion> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ command, sourceId, context }: VerifyRecipientVersion): Promise<void> {
    const proof = await this.proofBy(command.merchantId, sourceId);
    await this.commands.run(recipient, command.recipientId, { ...command, proof }, context);
  }

  /** Looks among the merchant's own domains only: anybody else's is as unknown as one that does not exist. */
  private async proofBy(merchantId: string, domainId: string): Promise<Proof | undefined> {
    const { state: domains } = await this.commands.fold(merchantDomains, merchantId);
    const found = domains.get(domainId);
    if (found === undefined) return undefined;
    const { domain, method, verifiedAt } = found;
    return { type: 'domain_proof', domain_id: domainId, domain, method, verified_at: verifiedAt };
  }
}

export class ActivateRecipientVersion extends Command<void> {
  constructor(
    readonly command: Omit<ActivateVersion, 'enabledNetworks'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ActivateRecipientVersion)
export class ActivateRecipientVersionHandler implements ICommandHandler<ActivateRecipientVersion> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async execute({ command, context }: ActivateRecipientVersion): Promise<void> {
    const { enabledNetworks } = this.config;
    await this.commands.run(recipient, command.recipientId, { ...command, enabledNetworks }, context);
  }
}
