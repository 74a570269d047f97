import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { automationPolicies, type AutomationPolicyDocument } from '../../../projections/automation-policies.projection';
import { connections } from '../../../projections/connections.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../http/openapi/endpoint.decorator';
import { DeviceId } from '../../access/device.guard';
import { indexOf, type Owner, OwnerCaller, ownershipOf } from '../../access/project.guard';
import { Merchant, type MerchantCaller } from '../../access/session.guard';
import { narrowed, ownDocument, ownPage, pageDataSchema } from '../../http/input/own-documents';
import { Context } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import {
  ChangePolicyInput,
  CreatePolicyInput,
  ListPoliciesInput,
  OptInInput,
  OptOutInput,
  policySchema,
  policyView,
  termsIn,
} from './automation-policies.dto';
import { ChangePolicy, CreatePolicy, MovePolicy } from './automation-policies.handlers';
import { type PolicyTerms } from './automation-policy.events';

const surface = 'agent';

@ApiTags('Automation policies')
@Controller('v1/automation-policies')
export class AutomationPoliciesController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Propose what an agent may do alone',
    description: 'All four thresholds are needed. It has no effect until the wallet’s owner opts in.',
    surface,
    credential: 'admin',
    status: 201,
    body: CreatePolicyInput,
    answer: { data: policySchema },
    errors: ['connection_revoked'],
  })
  async create(
    @Body() input: CreatePolicyInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const { connection_id, network, asset } = input;
    const proposal = { connection_id, network, asset, terms: termsIn(input) as PolicyTerms };
    const policyId = await this.commands.execute(new CreatePolicy(proposal, merchantId, context));
    return this.view(policyId, { merchantId });
  }

  @Get()
  @Endpoint({
    summary: 'List automation policies, newest first',
    description: 'A merchant sees its own, a wallet those of its connections.',
    surface,
    credential: 'project',
    query: ListPoliciesInput,
    answer: { data: pageDataSchema('automation_policies', policySchema) },
  })
  async list(@Query() input: ListPoliciesInput, @OwnerCaller() owner: Owner) {
    const own = narrowed(indexOf(owner), 'connection', input.connection_id);
    const { documents, next_cursor } = await ownPage(this.readModel, automationPolicies, own, input);
    const views = await Promise.all(documents.map((document) => this.viewOf(document)));
    return { automation_policies: views, next_cursor };
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read an automation policy, with what is spent and what remains',
    surface,
    credential: 'project',
    answer: { data: policySchema },
  })
  read(@Param('id') policyId: string, @OwnerCaller() owner: Owner) {
    return this.view(policyId, owner);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change thresholds',
    description: 'A change needs a new opt-in. What is spent stays spent.',
    surface,
    credential: 'admin',
    body: ChangePolicyInput,
    answer: { data: policySchema },
    errors: ['version_conflict', 'invalid_status_transition'],
  })
  async change(
    @Param('id') policyId: string,
    @Body() input: ChangePolicyInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    await this.commands.execute(new ChangePolicy(policyId, merchantId, input.version, termsIn(input), context));
    return this.view(policyId, { merchantId });
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Revoke an automation policy',
    description: 'For ever. Payments that were made under it are not touched.',
    surface,
    credential: 'admin',
    answer: { data: policySchema },
  })
  async revoke(
    @Param('id') policyId: string,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const command = { kind: 'revoke', policyId, merchantId, at: this.now() } as const;
    await this.commands.execute(new MovePolicy(command, context));
    return this.view(policyId, { merchantId });
  }

  @Post(':id/opt-in')
  @Endpoint({
    summary: 'Let the agent act alone within the policy',
    description: 'Only the wallet that owns the connection. With `version`, only to the terms of that version.',
    surface,
    credential: 'device',
    body: OptInInput,
    answer: { data: policySchema },
    errors: ['version_conflict', 'invalid_status_transition', 'connection_revoked'],
  })
  async optIn(
    @Param('id') policyId: string,
    @Body() { version }: OptInInput,
    @DeviceId() deviceId: string,
    @Context() context: CommandContext,
  ) {
    const command = { kind: 'opt-in', policyId, deviceId, version, at: this.now() } as const;
    await this.commands.execute(new MovePolicy(command, context));
    return this.view(policyId, { deviceId });
  }

  @Post(':id/opt-out')
  @Endpoint({
    summary: 'Take that back, or decline it',
    surface,
    credential: 'device',
    body: OptOutInput,
    answer: { data: policySchema },
    errors: ['invalid_status_transition'],
  })
  async optOut(@Param('id') policyId: string, @DeviceId() deviceId: string, @Context() context: CommandContext) {
    const command = { kind: 'opt-out', policyId, deviceId, at: this.now() } as const;
    await this.commands.execute(new MovePolicy(command, context));
    return this.view(policyId, { deviceId });
  }

  private async view(policyId: string, owner: Owner) {
    return this.viewOf(await ownDocument(this.readModel, automationPolicies, policyId, ownershipOf(owner)));
  }

  private async viewOf(document: AutomationPolicyDocument) {
    const connection = await this.readModel.get(connections, document.connection_id);
    return policyView(document, connection?.status);
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}
