import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamName } from '../../platform/event-store/stream-name';
import { Reactors } from '../../platform/reacting/reactors';
import { staleVersion } from '../../http/input/draft';
import { type Issue, refuse, refuseInput } from '../../kernel/errors';
import { endsWithin } from '../../kernel/pause';
import { verifySignature } from '../../platform/secrets/ed25519';
import { hashToken } from '../../platform/secrets/tokens';
import { agent, type AgentCommand } from './agent';
import { holdsItsKey, type ProveCredential, type RevokeCredential } from './agent-credential';
import { credentialKey, type Holder } from './credential-key';
import { idFor } from '../../kernel/aggregates';

/** Commands that need nothing from outside the agent's own stream. Returns whether anything changed. */
export class ChangeAgent extends Command<boolean> {
  constructor(
    readonly command: Exclude<AgentCommand, ProveCredential | RevokeCredential>,
    readonly context: CommandContext,
    /** What is wrong with the input; if there is anything, nothing is changed. */
    readonly issues: readonly Issue[] = [],
  ) {
    super();
  }
}

@CommandHandler(ChangeAgent)
export class ChangeAgentHandler implements ICommandHandler<ChangeAgent> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ command, context, issues }: ChangeAgent): Promise<boolean> {
    if (issues.length > 0) {
      const { state } = await this.commands.fold(agent, command.agentId);
      const known = state?.merchantId === command.merchantId ? state : undefined;
      throw refuseInput([...issues, ...(command.kind === 'change' ? staleVersion(command, known) : [])]);
    }
    const { events } = await this.commands.run(agent, command.agentId, command, context);
    return events.length > 0;
  }
}

/** Revokes a credential and, if it was compromised, the connections opened with it. */
export class EndCredential extends Command<void> {
  constructor(
    readonly command: RevokeCredential,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** How long the response waits for the connections to be marked as revoked; their tokens are refused already. */
const FOLLOW_UP_MS = 2_000;

@CommandHandler(EndCredential)
export class EndCredentialHandler implements ICommandHandler<EndCredential> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly reactors: Reactors,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  async execute({ command, context }: EndCredential): Promise<void> {
    const { version, events } = await this.commands.run(agent, command.agentId, command, context);
    if (events.length === 0) return;
    const [revoked] = await this.store.readStream(streamName(agent.category, command.agentId), version - 1, 1);
    if (revoked === undefined) return;
    // An agent may have any number of connections; the reactor handles those that fail or are not done in time.
    const marked = this.reactors.followUp(revoked).catch(() => undefined);
    await endsWithin(FOLLOW_UP_MS, marked);
  }
}

type About = Omit<ProveCredential, 'kind' | 'challengeHash' | 'signatureValid'>;

export class ActivateCredential extends Command<void> {
  constructor(
    readonly about: About,
    readonly challenge: string,
    readonly signature: Uint8Array,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ActivateCredential)
export class ActivateCredentialHandler implements ICommandHandler<ActivateCredential> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ about, challenge, signature, context }: ActivateCredential): Promise<void> {
    const { state } = await this.commands.fold(agent, about.agentId);
    // Verify only for the owner: to anyone else, the time a verification takes would reveal that the credential exists.
    const isOwners = state?.merchantId === about.merchantId;
    const publicKey = isOwners ? state.credentials.get(about.credentialId)?.publicKey : undefined;
    const signatureValid = publicKey !== undefined && verifySignature(publicKey, Buffer.from(challenge), signature);
    const proof = { kind: 'prove-credential', ...about, challengeHash: hashToken(challenge), signatureValid } as const;

    // Claim the key first, and only once it is proven: of two agents with the same key, only one gets past this.
    const [expected] = agent.decide(proof, state);
    if (publicKey !== undefined && expected?.type === 'AgentCredentialActivated') {
      await this.claim(publicKey, about, context);
    }
    const { events } = await this.commands.run(agent, about.agentId, proof, context);
    if (events.some(({ type }) => type === 'AgentCredentialProofFailed')) throw refuse('signature_invalid');
  }

  private async claim(publicKey: string, { agentId, credentialId, at }: About, context: CommandContext): Promise<void> {
    const keyId = idFor.credentialKey(publicKey);
    const { state: holder } = await this.commands.fold(credentialKey, keyId);
    const releasedCredentialId = holder !== null && !(await this.stillHolds(holder, at)) ? holder.credentialId : null;
    const claim = { kind: 'claim', keyId, agentId, credentialId, releasedCredentialId, at } as const;
    await this.commands.run(credentialKey, keyId, claim, context);
  }

  private async stillHolds({ agentId, credentialId }: Holder, at: string): Promise<boolean> {
    const { state } = await this.commands.fold(agent, agentId);
    const credential = state?.credentials.get(credentialId);
    return state?.status !== 'revoked' && credential !== undefined && holdsItsKey(credential, at);
  }
}
