import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { type Response } from 'express';
import { type MerchantSessionDocument, merchantSessions } from '../../../projections/merchant-sessions.projection';
import { merchants } from '../../../projections/merchants.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { CsrfProofs } from '../../access/csrf-proofs';
import { SessionCookie } from '../../access/session-cookie';
import { Merchant, sessionCredentialOf } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { merchantSchema, merchantView } from '../../access/merchant-view';
import { knownDocument, ownDocument, ownPage, pageSchema } from '../../http/input/own-documents';
import { PageInput } from '../../http/input/pagination';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { SESSION_SECONDS } from './lifetimes';
import {
  csrfSchema,
  endedSchema,
  OpenSessionInput,
  openSessionSchema,
  sessionSchema,
  sessionTokenSchema,
} from './merchant-access.dto';
import { session } from './session';
import { EndEveryMerchantSession, EndMerchantSession, OpenMerchantSession } from './sessions.handlers';
import { type MerchantId, type SessionId } from '../../kernel/aggregates';

@Tag('Merchant access')
@Controller('v1/merchant-sessions')
export class MerchantSessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly runner: CommandRunner,
    private readonly cookie: SessionCookie,
    private readonly csrf: CsrfProofs,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Open a session',
    description:
      'Spends the grant. The session lasts eight hours. ' +
      'session_token is present only with delivery bearer; otherwise the session is in the cookie.',
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

  @Get()
  @Endpoint({
    summary: 'List this operator’s open sessions, newest first',
    description: 'In any browser or program, for any merchant. The time of last use is not recorded.',
    credential: 'session',
    query: PageInput,
    answer: pageSchema('sessions', openSessionSchema),
  })
  async list(@Query() input: PageInput, @Merchant() { sessionId, accountId }: MerchantCaller) {
    const place = ['by_account', accountId, 'open'] as const;
    const { documents, next_cursor } = await ownPage(this.readModel, merchantSessions, place, input);
    // All sessions last equally long and the newest come first, so none after an expired one is still open.
    const at = timestamp(this.clock.now());
    const open = documents.filter(({ expires_at }) => expires_at > at);
    const isLast = open.length < documents.length;
    const sessions = await Promise.all(open.map((document) => this.openSession(document, sessionId)));
    return { ok: true, sessions, next_cursor: isLast ? null : next_cursor };
  }

  @Get('current')
  @Endpoint({
    summary: 'Read this session',
    description: 'Returns the CSRF proof again, for a page that was reloaded.',
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

  @Delete(':id')
  @Endpoint({
    summary: 'End one of this operator’s sessions',
    description: 'At once, wherever it is open.',
    credential: 'session',
    answer: { session: endedSchema },
  })
  async endOne(
    @Param('id') id: SessionId,
    @Merchant() { sessionId, accountId }: MerchantCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const own = await ownDocument(this.readModel, merchantSessions, id, { account_id: accountId });
    await this.commands.execute(new EndMerchantSession(own.id, context));
    if (own.id === sessionId) this.cookie.clear(response);
    return { ok: true, session: { status: 'ended' } };
  }

  @Delete()
  @Endpoint({
    summary: 'End every session of this operator',
    description: 'At once, wherever they are open and for every merchant, including this one.',
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

  private async openSession(document: MerchantSessionDocument, current: SessionId) {
    const { id, merchant_id, delivery, opened_at, expires_at } = document;
    const { name: merchant_name } = await this.merchant(merchant_id);
    return {
      session_id: id,
      merchant_id,
      merchant_name,
      delivery,
      opened_at,
      expires_at,
      is_current: id === current,
    };
  }

  private async merchant(merchantId: MerchantId) {
    return merchantView(await knownDocument(this.readModel, merchants, merchantId));
  }
}
