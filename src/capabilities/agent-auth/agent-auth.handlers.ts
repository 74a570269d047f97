import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CONFIG, type Config } from '../../platform/config';
import { CommandRunner } from '../../platform/event-store/run-command';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { newTokenFor } from '../../platform/secrets/bound-tokens';
import { hashToken } from '../../platform/secrets/tokens';
import { assertion } from './assertion';
import { invalidAssertion, parseAssertion } from './assertion-text';
import { refuseExpired, refuseSkewed } from './assertion-times';
import { Signers } from './signers';
import { idFor } from '../../kernel/aggregates';

const TOKEN_SECONDS = 600;
const AMBIGUOUS =
  'Too many agents call a key by this kid for us to try them all. Name your agent: put its agent_id into the claims as iss.';

export type AgentToken = Readonly<{ token: string; expiresIn: number; expiresAt: string }>;

export class ExchangeAssertion extends Command<AgentToken> {
  constructor(
    readonly text: string,
    readonly requestId: string,
  ) {
    super();
  }
}

@CommandHandler(ExchangeAssertion)
export class ExchangeAssertionHandler implements ICommandHandler<ExchangeAssertion> {
  private readonly audience: string;

  constructor(
    private readonly commands: CommandRunner,
    private readonly signers: Signers,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: Config,
  ) {
    this.audience = `${config.baseUrl}/v1/agent-auth/token`;
  }

  async execute({ text, requestId }: ExchangeAssertion): Promise<AgentToken> {
    const now = this.clock.now();
    const parsed = parseAssertion(text);
    const { claims } = parsed;
    // First check the assertion's text alone: that needs no lookup and reveals nothing about anyone's keys.
    if (claims.aud !== this.audience) throw invalidAssertion(`aud must be ${this.audience}.`);
    refuseExpired(claims, now);

    const { signer, ambiguous } = await this.signers.whoSigned(parsed, now);
    if (ambiguous) throw invalidAssertion(AMBIGUOUS, { reason: 'ambiguous_kid' });
    if (signer === undefined)
      throw invalidAssertion(
        'No active key of this kid verifies the assertion. Sign it with the registered private key.',
      );
    refuseSkewed(claims, now);
    if (signer.objection !== undefined) throw refuse(signer.objection);

    const { agentId, merchantId, credentialId } = signer;
    const assertionId = idFor.assertion(credentialId, claims.jti);
    const token = newTokenFor('agent', assertionId);
    const expires = earlier(addSeconds(now, TOKEN_SECONDS), new Date(signer.credentialExpiresAt));
    await this.commands.run(
      assertion,
      assertionId,
      {
        kind: 'accept',
        assertionId,
        agentId,
        merchantId,
        credentialId,
        jti: claims.jti,
        tokenHash: hashToken(token),
        at: timestamp(now),
        tokenExpiresAt: timestamp(expires),
      },
      { requestId, actor: { kind: 'agent', id: agentId } },
    );
    const expiresIn = Math.floor((expires.getTime() - now.getTime()) / 1000);
    return { token, expiresIn, expiresAt: timestamp(expires) };
  }
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
