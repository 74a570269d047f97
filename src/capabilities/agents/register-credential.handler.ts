import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { normalTime } from '../../http/input/checks';
import { complete, type Draft } from '../../http/input/draft';
import { type Issue } from '../../kernel/errors';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { agent } from './agent';
import { countIssues, kidIssues, type RegisterCredential, validityIssues } from './agent-credential';
import { normalisePublicKey } from '../../platform/secrets/ed25519';
import { type RegisterCredentialInput } from './agents.dto';

type About = Omit<RegisterCredential, 'kind' | 'kid' | 'publicKey' | 'notBefore' | 'expiresAt'>;

export class RegisterAgentCredential extends Command<void> {
  constructor(
    readonly draft: Draft<RegisterCredentialInput>,
    readonly about: About,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RegisterAgentCredential)
export class RegisterAgentCredentialHandler implements ICommandHandler<RegisterAgentCredential> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ draft, about, context }: RegisterAgentCredential): Promise<void> {
    // If the input has issues, also report those the decider would raise, so that the caller sees them all at once.
    const input = complete(draft, draft.issues.length > 0 ? await this.deciderIssues(draft, about) : []);
    const command: RegisterCredential = {
      kind: 'register-credential',
      ...about,
      kid: input.kid,
      publicKey: normalisePublicKey(input.public_key) as string,
      notBefore: normalTime(input.not_before),
      expiresAt: normalTime(input.expires_at),
    };
    await this.commands.run(agent, about.agentId, command, context);
  }

  private async deciderIssues({ sound }: Draft<RegisterCredentialInput>, { agentId, merchantId, at }: About) {
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
