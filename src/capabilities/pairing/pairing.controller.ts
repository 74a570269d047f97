import { Body, Controller, Get, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { refuse } from '../../kernel/errors';
import { Tag } from '../../api/openapi/described';
import { pairingSessions } from '../../../projections/pairing-sessions.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { approvedConnection, connectionSchema, connectionTokenSchema } from '../../access/connection-view';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Agent } from '../../access/agent-token.guard';
import { type AgentCaller } from '../../http/server/callers';
import { EitherCaller } from '../../access/claim-or-device.guard';
import { DeviceId } from '../../access/device.guard';
import { readDraft } from '../../http/input/draft';
import { knownDocument } from '../../http/input/own-documents';
import { type Caller, Context, type SvcRequest } from '../../http/server/request-context';
import { withoutRepeats } from '../../http/input/scope-list';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { TypedCodes } from './typed-codes';
import {
  ApprovePairingInput,
  LookInput,
  pairingSessionSchema,
  pairingSessionView,
  RejectPairingInput,
  StartPairingInput,
  startedSessionSchema,
} from './pairing.dto';
import { ApprovePairing, ReadPairingSession, RejectPairing, StartPairing } from './pairing.handlers';
import { type PairingSessionId, type WalletDeviceId } from '../../kernel/aggregates';

@Tag('Pairing')
@Controller('v1/pairing/sessions')
export class PairingController {
  constructor(
    private readonly commands: CommandBus,
    private readonly typed: TypedCodes,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Start a pairing session',
    description: 'Show code or uri to the person. They last 10 minutes; five wrong codes end the session.',
    credential: 'agent',
    status: 201,
    body: StartPairingInput,
    readsBodyItself: true,
    answer: { pairing_session: startedSessionSchema },
    errors: ['scope_not_allowed'],
  })
  async start(
    @Body() body: Readonly<Record<string, unknown>>,
    @Agent() agent: AgentCaller,
    @Context() context: CommandContext,
  ) {
    const draft = readDraft(StartPairingInput, body);
    const { sessionId, code, uri } = await this.commands.execute(new StartPairing(agent, draft, context));
    return { ok: true, pairing_session: { ...(await this.session(sessionId)), code, uri } };
  }

  @Get()
  @Endpoint({
    summary: 'Find the pairing session of a code',
    description:
      'For a wallet whose user typed the code: the session that waits for it, with who asks and for what. A session ' +
      'that was decided or has expired is not found, nor is an unknown code.',
    credential: 'device',
    limit: 'pairing_code',
    query: LookInput,
    answer: { pairing_session: pairingSessionSchema },
  })
  async find(@Query() { code }: LookInput) {
    return { ok: true, pairing_session: pairingSessionView(await this.typed.find(code)) };
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read a pairing session',
    description:
      'For the agent that started it, and for a wallet that was told the code. After the approval the agent receives ' +
      'connection, and connection_token with the first such answer. A wrong code counts.',
    credential: 'agentOrDevice',
    query: LookInput,
    answer: { pairing_session: pairingSessionSchema },
    optional: { connection: connectionSchema, connection_token: connectionTokenSchema },
    errors: ['invitation_expired', 'credential_revoked', 'connection_revoked'],
  })
  async look(
    @Param('id') sessionId: PairingSessionId,
    @Query() { code }: LookInput,
    @EitherCaller() caller: Caller,
    @Context() context: CommandContext,
    @Req() request: SvcRequest,
  ) {
    const agent = caller.agent ?? null;
    const look = (collect: boolean) =>
      this.commands.execute(new ReadPairingSession({ sessionId, code, context }, agent, collect));
    let seen = await look(false);
    const session = await this.session(sessionId);
    // It ended in between.
    if (session.status === 'expired') throw refuse('invitation_expired');
    // It was approved in between: an agent that reads `approved` stops polling, so the token has to come with it.
    if (agent !== null && seen.connectionId === null && session.status === 'approved') seen = await look(false);
    if (seen.connectionId === null) return { ok: true, pairing_session: session };
    const { connectionId } = seen;
    const withConnection = async (pairing_session: typeof session) => ({
      pairing_session,
      connection: await approvedConnection(this.readModel, connectionId),
    });
    const before = await withConnection(session);
    // Collected once everything else has been read. A HEAD response has no body that could carry a token.
    const { connectionToken: token } = request.method === 'GET' ? await look(true) : seen;
    if (token === null) return { ok: true, ...before };
    // As it is now, unless reads fail just now: that must not cost the token.
    const now = await this.session(sessionId)
      .then(withConnection)
      .catch(() => before);
    return { ok: true, ...now, connection_token: token };
  }

  @Post(':id/approve')
  @Endpoint({
    summary: 'Approve a pairing session',
    description: 'Grants what was requested, or less if `scopes` is given. Works once.',
    credential: 'device',
    body: ApprovePairingInput,
    answer: { connection: connectionSchema, connection_token: connectionTokenSchema },
    errors: ['scope_not_allowed', 'invalid_status_transition', 'invitation_expired', 'credential_revoked'],
  })
  async approve(
    @Param('id') sessionId: PairingSessionId,
    @Body() input: ApprovePairingInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    const scopes = input.scopes === undefined ? null : withoutRepeats(input.scopes);
    const entry = { sessionId, code: input.code, context };
    const paired = await this.commands.execute(new ApprovePairing(entry, deviceId, scopes));
    const connection = await approvedConnection(this.readModel, paired.connectionId);
    return { ok: true, connection, connection_token: paired.connectionToken };
  }

  @Post(':id/reject')
  @Endpoint({
    summary: 'Reject a pairing session',
    credential: 'device',
    body: RejectPairingInput,
    answer: { pairing_session: pairingSessionSchema },
    errors: ['invalid_status_transition', 'invitation_expired'],
  })
  async reject(
    @Param('id') sessionId: PairingSessionId,
    @Body() { code }: RejectPairingInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    await this.commands.execute(new RejectPairing({ sessionId, code, context }, deviceId));
    return { ok: true, pairing_session: await this.session(sessionId) };
  }

  private async session(id: string) {
    return pairingSessionView(await knownDocument(this.readModel, pairingSessions, id));
  }
}
