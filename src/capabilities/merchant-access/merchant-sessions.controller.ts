import { Body, Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { merchants } from '../../../projections/merchants.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { CsrfProofs } from '../../access/csrf-proofs';
import { SessionCookie } from '../../access/session-cookie';
import { Merchant, sessionCredentialOf } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { merchantSchema, merchantView } from '../../access/merchant-view';
import { knownDocument } from '../../http/input/own-documents';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { refuse } from '../../kernel/errors';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { SESSION_SECONDS } from './lifetimes';
import { csrfSchema, endedSchema, OpenSessionInput, sessionSchema, sessionTokenSchema } from './merchant-access.dto';
import { session } from './session';
import { EndEveryMerchantSession, EndMerchantSession, OpenMerchantSession } from './sessions.handlers';
import { type MerchantId } from '../../kernel/aggregates';

@ApiTags('Merchant access')
@Controller('v1/merchant-sessions')
export class MerchantSessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly runner: CommandRunner,
    private readonly cookie: SessionCookie,
    private readonly csrf: CsrfProofs,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Open a session',
    description:
      'Spends the grant. The session lasts eight hours. ' +
      'session_token is there with delivery bearer only; otherwise the session is in the cookie.',
    credential: 'none',
    status: 201,
    body: OpenSessionInput,
    answer: { session: sessionSchema, merchant: merchantSchema, csrf_token: csrfSchema },
    optional: { session_token: sessionTokenSchema },
    errors: ['invalid_grant'],
  })
  async open(
    @Body() { grant, choice, delivery = 'cookie' }: OpenSessionInput,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const command = new OpenMerchantSession(grant, { choice, delivery }, context);
    const { token, merchantId, expiresAt } = await this.commands.execute(command);
    if (delivery === 'cookie') this.cookie.set(response, token, SESSION_SECONDS);
    return {
      ok: true,
      session: { expires_at: expiresAt },
      merchant: await this.merchant(merchantId),
      csrf_token: this.csrf.of(token),
      ...(delivery === 'bearer' ? { session_token: token } : {}),
    };
  }

  @Get('current')
  @Endpoint({
    summary: 'Read this session',
    description: 'Gives the CSRF proof again, for a page that was loaded anew.',
    credential: 'session',
    answer: { session: sessionSchema, merchant: merchantSchema, csrf_token: csrfSchema },
  })
  async current(@Req() request: SvcRequest, @Merchant() { sessionId, merchantId }: MerchantCaller) {
    const { state } = await this.runner.fold(session, sessionId);
    if (state.status !== 'open') throw refuse('invalid_token');
    const { token } = sessionCredentialOf(request, this.cookie);
    return {
      ok: true,
      session: { expires_at: state.expiresAt },
      merchant: await this.merchant(merchantId),
      csrf_token: this.csrf.of(token),
    };
  }

  @Delete('current')
  @Endpoint({
    summary: 'End this session',
    description: 'At once; other sessions of the same operator stay open.',
    credential: 'session',
    answer: { session: endedSchema },
  })
  async end(
    @Merchant() { sessionId }: MerchantCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    await this.commands.execute(new EndMerchantSession(sessionId, context));
    this.cookie.clear(response);
    return { ok: true, session: { status: 'ended' } };
  }

  @Delete()
  @Endpoint({
    summary: 'End every session of this operator',
    description: 'At once, wherever they are open and for whichever merchant; this one too.',
    credential: 'session',
    answer: { session: endedSchema },
  })
  async endAll(
    @Merchant() { sessionId, accountId }: MerchantCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    await this.commands.execute(new EndEveryMerchantSession(sessionId, accountId, context));
    this.cookie.clear(response);
    return { ok: true, session: { status: 'ended' } };
  }

  private async merchant(merchantId: MerchantId) {
    return merchantView(await knownDocument(this.readModel, merchants, merchantId));
  }
}
