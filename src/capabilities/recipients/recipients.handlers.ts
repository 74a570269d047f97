import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CONFIG, type Config } from '../../platform/config';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { complete, type Draft, staleVersion } from '../../http/input/draft';
import { type Proof } from './evidence';
import { DomainProofs } from './domain-proofs';
import { evidenceIssues, notAVerifiedDomain, type ProofNow, sourceIssues } from './recipient-issues';
import { recipient } from './recipient';
import {
  type ActivateVersion,
  type AddVersion,
  type CreateRecipient,
  type RetireVersion,
  type VerifyVersion,
} from './recipient-commands';
import {
  type ActivateVersionInput,
  type AddVersionInput,
  factsOf,
  type RetireVersionInput,
  type VerifyVersionInput,
} from './recipients.dto';
import { type MerchantId, type RecipientId } from '../../kernel/aggregates';

/** Returns whether it was made before, under the same key. */
export class AddRecipient extends Command<boolean> {
  constructor(
    readonly command: CreateRecipient,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(AddRecipient)
export class AddRecipientHandler implements ICommandHandler<AddRecipient> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ command, context }: AddRecipient): Promise<boolean> {
    const { events } = await this.commands.run(recipient, command.recipientId, command, context);
    return events.length === 0;
  }
}

/** Returns whether it was added before, under the same key. */
export class AddRecipientVersion extends Command<boolean> {
  constructor(
    readonly draft: Draft<AddVersionInput>,
    readonly about: Omit<AddVersion, 'kind' | 'version' | 'facts'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(AddRecipientVersion)
export class AddRecipientVersionHandler implements ICommandHandler<AddRecipientVersion> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ draft, about, context }: AddRecipientVersion): Promise<boolean> {
    const deciderIssues =
      draft.issues.length > 0 ? staleVersion(draft.sound, await ownRecipient(this.commands, about)) : [];
    const input = complete(draft, deciderIssues);
    const command = { kind: 'add-version', ...about, version: input.version, facts: factsOf(input) } as const;
    const { events } = await this.commands.run(recipient, about.recipientId, command, context);
    return events.length === 0;
  }
}

/** Does not reveal that someone else's recipient exists. */
async function ownRecipient(
  commands: CommandRunner,
  { recipientId, merchantId }: Readonly<{ recipientId: RecipientId; merchantId: MerchantId }>,
) {
  const { state } = await commands.fold(recipient, recipientId);
  return state?.merchantId === merchantId ? state : undefined;
}

type VerifyAbout = Omit<VerifyVersion, 'kind' | 'proof' | 'isStale' | 'version' | 'recipientVersionId'>;

/** Returns which version was verified. */
export class VerifyRecipientVersion extends Command<string> {
  constructor(
    readonly draft: Draft<VerifyVersionInput>,
    readonly about: VerifyAbout,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(VerifyRecipientVersion)
export class VerifyRecipientVersionHandler implements ICommandHandler<VerifyRecipientVersion> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly proofs: DomainProofs,
  ) {}

  async execute({ draft, about, context }: VerifyRecipientVersion): Promise<string> {
    const { source_id: sourceId } = draft.sound;
    const found = sourceId === undefined ? undefined : await this.proofs.of(about.merchantId, sourceId, about.at);
    const { proof, isStale = false } = found ?? {};
    const deciderIssues = draft.issues.length > 0 ? await this.deciderIssues(draft, about, proof) : [];
    const { recipient_version_id: recipientVersionId, version } = complete(draft, deciderIssues);
    const command = { kind: 'verify', ...about, recipientVersionId, version, proof, isStale } as const;
    await this.commands.run(recipient, about.recipientId, command, context);
    return recipientVersionId;
  }

  /** What the decider would say about the valid parts of an input that is invalid as a whole. */
  private async deciderIssues({ sound }: Draft<VerifyVersionInput>, about: VerifyAbout, proof: Proof | undefined) {
    const known = await ownRecipient(this.commands, about);
    const versions = known?.versions;
    const recipientVersionId = versions && sound.recipient_version_id;
    const issues = sourceIssues(
      { ...(recipientVersionId ? { recipientVersionId } : {}), proof },
      { versions: versions ?? new Map() },
    );
    const reported = sound.source_id === undefined ? issues.filter((issue) => issue !== notAVerifiedDomain) : issues;
    return [...reported, ...staleVersion(sound, known)];
  }
}

type ActivateAbout = Omit<
  ActivateVersion,
  'kind' | 'enabledNetworks' | 'proofNow' | 'evidenceId' | 'evidenceDigest' | 'version'
>;

export class ActivateRecipientVersion extends Command<void> {
  constructor(
    readonly draft: Draft<ActivateVersionInput>,
    readonly about: ActivateAbout,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ActivateRecipientVersion)
export class ActivateRecipientVersionHandler implements ICommandHandler<ActivateRecipientVersion> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly proofs: DomainProofs,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async execute({ draft, about, context }: ActivateRecipientVersion): Promise<void> {
    const input = complete(draft, draft.issues.length > 0 ? await this.deciderIssues(draft, about) : []);
    const { evidence_id: evidenceId, evidence_digest: evidenceDigest, version } = input;
    const { enabledNetworks } = this.config;
    const named = { evidenceId, evidenceDigest, version, proofNow: await this.proofNow(about), enabledNetworks };
    const command = { kind: 'activate', ...about, ...named } as const;
    await this.commands.run(recipient, about.recipientId, command, context);
  }

  private async proofNow(about: ActivateAbout): Promise<ProofNow> {
    const known = await ownRecipient(this.commands, about);
    const evidence = known?.versions.get(about.recipientVersionId)?.evidence;
    if (!evidence) return 'gone';
    const found = await this.proofs.of(about.merchantId, evidence.proof.domain_id, about.at);
    if (found === undefined) return 'gone';
    return found.isStale ? 'stale' : 'holds';
  }

  /** What the decider would say about the valid parts of an input that is invalid as a whole. */
  private async deciderIssues({ sound }: Draft<ActivateVersionInput>, about: ActivateAbout) {
    const known = await ownRecipient(this.commands, about);
    const version = known?.versions.get(about.recipientVersionId);
    if (version === undefined) return [];
    const { evidence_id: evidenceId, evidence_digest: evidenceDigest } = sound;
    const named = { ...(evidenceId ? { evidenceId } : {}), ...(evidenceDigest ? { evidenceDigest } : {}) };
    return [...evidenceIssues(named, version), ...staleVersion(sound, known)];
  }
}

type RetireAbout = Omit<RetireVersion, 'kind' | 'version' | 'withdrawPending'>;

export class RetireRecipientVersion extends Command<void> {
  constructor(
    readonly draft: Draft<RetireVersionInput>,
    readonly about: RetireAbout,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RetireRecipientVersion)
export class RetireRecipientVersionHandler implements ICommandHandler<RetireRecipientVersion> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ draft, about, context }: RetireRecipientVersion): Promise<void> {
    const stale = draft.issues.length > 0 ? staleVersion(draft.sound, await ownRecipient(this.commands, about)) : [];
    const { version, withdraw_pending: withdrawPending = false } = complete(draft, stale);
    const command = { kind: 'retire', ...about, version, withdrawPending } as const;
    await this.commands.run(recipient, about.recipientId, command, context);
  }
}
