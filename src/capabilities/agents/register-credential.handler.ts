import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { normalTime } from '../../http/input/checks';
import { complete, type Draft } from '../../http/input/draft';
import { type KeyedDraft, type Made } from '../../http/input/keyed-draft';
import { type AgentId, type CredentialId, idFor, type MerchantId } from '../../kernel/aggregates';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { hashToken } from '../../platform/secrets/tokens';
import { newId } from '../../kernel/ids';
import { DerivedTokens } from '../../platform/secrets/derived-tokens';
import { type Issue } from '../../kernel/errors';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { agent } from './agent';
import { countIssues, kidIssues, type RegisterCredential, validityIssues } from './agent-credential';
import { normalisePublicKey } from '../../platform/secrets/ed25519';
import { type RegisterCredentialInput } from './agents.dto';

const CHALLENGE_SECONDS = 300;
const PURPOSE = 'svc-agent-credential-proof:v1';

type About = Readonly<{ agentId: AgentId; merchantId: MerchantId }>;

/** The challenge is undefined if the credential was registered before, more than ten minutes ago. */
export type RegisteredCredential = Made<CredentialId> &
  Readonly<{ challenge: string | undefined; challengeExpiresAt: string }>;

export class RegisterAgentCredential extends Command<RegisteredCredential> {
  constructor(
    readonly draft: KeyedDraft<RegisterCredentialInput>,
    readonly about: About,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RegisterAgentCredential)
export class RegisterAgentCredentialHandler implements ICommandHandler<RegisterAgentCredential> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly tokens: DerivedTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ draft, about, context }: RegisterAgentCredential): Promise<RegisteredCredential> {
    const { under } = draft;
    const now = this.clock.now();
    const at = timestamp(now);
    const { agentId } = about;
    const id = under ? idFor.underKey('crd', agentId, under.idempotency_key) : newId('crd');
    const challenge = this.challengeFor(agentId, id);
    // If the input has issues, also report those the decider would raise, so that the caller sees them all at once.
    const input = complete(draft, draft.issues.length > 0 ? await this.deciderIssues(draft, { ...about, at }) : []);
    const command: RegisterCredential = {
      kind: 'register-credential',
      ...about,
      kid: input.kid,
      publicKey: normalisePublicKey(input.public_key) as string,
      notBefore: normalTime(input.not_before),
      expiresAt: normalTime(input.expires_at),
      credentialId: id,
      challengeHash: hashToken(challenge),
      challengeExpiresAt: timestamp(addSeconds(now, CHALLENGE_SECONDS)),
      at,
      under,
    };
    const { state, events } = await this.commands.run(agent, agentId, command, context);
    const registered = state?.credentials.get(id);
    if (registered === undefined) throw new Error(`${agentId} lost a credential it just registered`);
    const { challengeHash: hash, challengeExpiresAt, registeredAt } = registered;
    const shown = { hash, at: registeredAt };
    return {
      id,
      replayed: events.length === 0,
      challenge: this.tokens.again(shown, now, (secret) => this.challengeFor(agentId, id, secret)),
      challengeExpiresAt,
    };
  }

  /** States its purpose, so that a signature over it can never pass for a signature over anything else. */
  private challengeFor(agentId: AgentId, credentialId: CredentialId, secret?: number): string {
    return `${PURPOSE}:${agentId}:${credentialId}:${this.tokens.nonce(PURPOSE, credentialId, secret)}`;
  }

  private async deciderIssues(
    { sound }: Draft<RegisterCredentialInput>,
    { agentId, merchantId, at }: About & Readonly<{ at: string }>,
  ) {
    const { state } = await this.commands.fold(agent, agentId);
    // An invalid time compares false with everything, and has already been reported.
    const time = (text: string | undefined): string => (text === undefined ? '' : normalTime(text));
    const validity = { notBefore: time(sound.not_before), expiresAt: time(sound.expires_at), at };
    const issues: Issue[] = [...validityIssues(validity)];
    if (state?.merchantId !== merchantId) return issues;
    if (sound.kid !== undefined) issues.unshift(...kidIssues({ kid: sound.kid, at }, state.credentials));
    return [...issues, ...countIssues(state.credentials)];
  }
}
