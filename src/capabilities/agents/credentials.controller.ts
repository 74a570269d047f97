import { Body, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Response } from 'express';
import { Tag } from '../../api/openapi/described';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { dateTime, text } from '../../http/input/checks';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { readKeyedDraft, sayMade } from '../../http/input/keyed-draft';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { decodeSignature } from '../../platform/secrets/ed25519';
import { AgentReader } from './agent-reader';
import {
  ActivateCredentialInput,
  agentSchema,
  agentView,
  credentialOf,
  credentialSchema,
  RegisterCredentialInput,
  RevokeCredentialInput,
} from './agents.dto';
import { ActivateCredential, EndCredential } from './agents.handlers';

const answer = { credential: credentialSchema, agent: agentSchema };
import { RegisterAgentCredential } from './register-credential.handler';
import { type AgentId, type CredentialId, type MerchantId } from '../../kernel/aggregates';

@Tag('Agents')
@Controller('v1/agents/:id/credentials')
export class CredentialsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly agents: AgentReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Register an Ed25519 public key',
    description:
      'The answer contains a challenge, valid for five minutes and shown again only to the same call under its ' +
      'idempotency key, for ten. Sign it with the private key, which ' +
      'never leaves the agent, and activate the credential with the signature.',
    credential: 'merchant',
    status: 201,
    body: RegisterCredentialInput,
    readsBodyItself: true,
    keyed: true,
    answer: { ...answer, proof_challenge_expires_at: dateTime().schema },
    optional: { proof_challenge: text({ max: 500, example: 'svc-agent-credential-proof:v1:…' }).schema },
    errors: ['invalid_status_transition'],
  })
  async register(
    @Param('id') agentId: AgentId,
    @Body() body: Readonly<Record<string, unknown>>,
    @Req() { headers }: SvcRequest,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readKeyedDraft(RegisterCredentialInput, body, headers);
    const registered = await this.commands.execute(
      new RegisterAgentCredential(draft, { agentId, merchantId }, context),
    );
    const { id, replayed, challenge, challengeExpiresAt } = registered;
    sayMade(response, replayed, `/v1/agents/${agentId}`);
    const answered = await this.answer(agentId, merchantId, id);
    return {
      ...answered,
      ...(challenge === undefined ? {} : { proof_challenge: challenge }),
      proof_challenge_expires_at: challengeExpiresAt,
    };
  }

  @Post(':credentialId/activate')
  @Endpoint({
    summary: 'Prove possession of the private key',
    description:
      'A challenge works once, within five minutes, and allows five wrong proofs; after that, register the key again. A key ' +
      'that another credential uses cannot be activated.',
    credential: 'merchant',
    body: ActivateCredentialInput,
    answer,
    errors: [
      'challenge_expired',
      'signature_invalid',
      'credential_key_in_use',
      'credential_revoked',
      'credential_not_valid',
      'invalid_status_transition',
    ],
  })
  async activate(
    @Param('id') agentId: AgentId,
    @Param('credentialId') credentialId: CredentialId,
    @Body() { challenge, signature }: ActivateCredentialInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const about = { agentId, merchantId, credentialId, at: timestamp(this.clock.now()) };
    const bytes = decodeSignature(signature) as Buffer;
    await this.commands.execute(new ActivateCredential(about, challenge, bytes, context));
    return this.answer(agentId, merchantId, credentialId);
  }

  @Post(':credentialId/revoke')
  @Endpoint({
    summary: 'Revoke a credential',
    description:
      'Final. Agent tokens, claim tokens and pairing sessions that came from it stop working with this answer, whichever other ' +
      'credentials the agent has. With `compromised`, the default, so do the connections that were opened with it; with ' +
      '`rotated` those stay, under the agent’s other credentials. One that was rotated can still be declared compromised.',
    credential: 'merchant',
    body: RevokeCredentialInput,
    answer,
  })
  async revoke(
    @Param('id') agentId: AgentId,
    @Param('credentialId') credentialId: CredentialId,
    @Body() { reason = 'compromised' }: RevokeCredentialInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const about = { agentId, merchantId, credentialId, at: timestamp(this.clock.now()) };
    await this.commands.execute(new EndCredential({ kind: 'revoke-credential', ...about, reason }, context));
    return this.answer(agentId, merchantId, credentialId);
  }

  private async answer(agentId: AgentId, merchantId: MerchantId, credentialId: CredentialId) {
    const document = await this.agents.owned(agentId, merchantId);
    return { ok: true, credential: credentialOf(document, credentialId), agent: agentView(document) };
  }
}
