import { Body, Controller, Get, Inject, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Response } from 'express';
import { Tag } from '../../api/openapi/described';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { agents } from '../../../projections/agents.projection';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { QUOTAS, Quota } from '../../http/server/quota.guard';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { complete, readDraft } from '../../http/input/draft';
import { readKeyedDraft, sayMade } from '../../http/input/keyed-draft';
import { pageSchema } from '../../http/input/own-documents';
import { PageInput } from '../../http/input/pagination';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { AgentReader } from './agent-reader';
import { agentSchema, agentView, ChangeAgentInput, CreateAgentInput } from './agents.dto';
import { ChangeAgent } from './agents.handlers';
import { type AgentId, idFor } from '../../kernel/aggregates';

@Tag('Agents')
@Controller('v1/agents')
export class AgentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly agents: AgentReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @Quota(agents, QUOTAS.agents, 'agt', 'in_use', ({ caller }) => [[caller?.merchant?.merchantId, true]])
  @Endpoint({
    summary: 'Register an agent',
    description: 'It stays pending until it has an active credential and its status is set to active.',
    credential: 'merchant',
    status: 201,
    body: CreateAgentInput,
    readsBodyItself: true,
    keyed: true,
    answer: { agent: agentSchema },
    errors: ['limit_reached'],
  })
  async create(
    @Body() body: Record<string, unknown>,
    @Req() { headers }: SvcRequest,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readKeyedDraft(CreateAgentInput, body, headers);
    const { name, runtime, environment, allowed_scopes: allowedScopes } = complete(draft);
    const { under } = draft;
    const agentId = under ? idFor.underKey('agt', merchantId, under.idempotency_key) : newId('agt');
    const about = { agentId, merchantId, name, runtime, environment, allowedScopes, at: this.now(), under };
    const replayed = !(await this.commands.execute(new ChangeAgent({ kind: 'create', ...about }, context)));
    sayMade(response, replayed, `/v1/agents/${agentId}`);
    return { ok: true, agent: agentView(await this.agents.owned(agentId, merchantId)) };
  }

  @Get()
  @Endpoint({
    summary: 'List agents, newest first',
    credential: 'merchant',
    query: PageInput,
    answer: pageSchema('agents', agentSchema),
  })
  async list(@Query() input: PageInput, @Merchant() { merchantId }: MerchantCaller) {
    const { documents, next_cursor } = await this.agents.ofMerchant(merchantId, input);
    return { ok: true, agents: documents.map(agentView), next_cursor };
  }

  @Get(':id')
  @Endpoint({ summary: 'Read an agent with its credentials', credential: 'merchant', answer: { agent: agentSchema } })
  async read(@Param('id') agentId: AgentId, @Merchant() { merchantId }: MerchantCaller) {
    return { ok: true, agent: agentView(await this.agents.owned(agentId, merchantId)) };
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change an agent',
    description:
      'Any of status, name and allowed scopes. Suspending or revoking stops its tokens and connections with this ' +
      'answer. Active needs an active credential; revoked is final.',
    credential: 'merchant',
    body: ChangeAgentInput,
    readsBodyItself: true,
    answer: { agent: agentSchema },
    errors: ['version_conflict', 'agent_credential_required', 'invalid_status_transition'],
  })
  async change(
    @Param('id') agentId: AgentId,
    @Body() body: Record<string, unknown>,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const { issues, sound } = readDraft(ChangeAgentInput, body);
    const { version, status, name, allowed_scopes: allowedScopes } = sound;
    const about = { agentId, merchantId, version: version as number, status, name, allowedScopes, at: this.now() };
    await this.commands.execute(new ChangeAgent({ kind: 'change', ...about }, context, issues));
    return { ok: true, agent: agentView(await this.agents.owned(agentId, merchantId)) };
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}
