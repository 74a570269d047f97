import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Response } from 'express';
import { Tag } from '../../api/openapi/described';
import { automationPolicies, type AutomationPolicyDocument } from '../../../projections/automation-policies.projection';
import { connections } from '../../../projections/connections.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { QUOTAS, Quota } from '../../http/server/quota.guard';
import { DeviceId } from '../../access/device.guard';
import { indexOf, type Owner, OwnerCaller, ownershipOf } from '../../access/project.guard';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { narrowed, ownDocument, ownPage, pageDataSchema } from '../../http/input/own-documents';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { recipients } from '../../../projections/recipients.projection';
import { readDraft } from '../../http/input/draft';
import { readKeyedDraft, sayMade } from '../../http/input/keyed-draft';
import {
  ChangePolicyInput,
  CreatePolicyInput,
  ListPoliciesInput,
  OptInInput,
  OptOutInput,
} from './automation-policies.dto';
import { ChangePolicy, CreatePolicy, MovePolicy } from './automation-policies.handlers';
import { OptIn } from './opt-in.handler';
import { payeeView, policySchema, policyView, policyWithPayeesSchema } from './policy-view';
import { type ConnectionId, type WalletDeviceId, type PolicyId } from '../../kernel/aggregates';

const surface = 'agent';

const IN_USE = true as const;
const connectionIn = ({ body }: SvcRequest) => (body as Readonly<{ connection_id?: ConnectionId }>).connection_id;
const ofProposer = ({ caller }: SvcRequest) => [[caller?.merchant?.merchantId, IN_USE]];
const ofMerchantsConnection = (request: SvcRequest) => [
  [connectionIn(request), request.caller?.merchant?.merchantId, IN_USE],
];
const ofWalletsConnection = (request: SvcRequest) => {
  const { actor } = request.caller ?? {};
  return [[connectionIn(request), actor?.kind === 'wallet_device' ? actor.id : undefined, IN_USE]];
};

@Tag('Automation policies')
@Controller('v1/automation-policies')
export class AutomationPoliciesController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @Quota(automationPolicies, QUOTAS.policies, 'pol', 'in_use_of_proposer', ofProposer)
  @Quota(automationPolicies, QUOTAS.policiesOfConnection, 'pol', 'in_use_of_connection', ofMerchantsConnection)
  @Quota(automationPolicies, QUOTAS.policiesOfConnection, 'pol', 'in_use_of_device', ofWalletsConnection)
  @Endpoint({
    summary: 'Create an automation policy',
    description:
      'All four thresholds are needed. An operator proposes: it has no effect until the wallet’s owner opts in. The wallet ' +
      'that owns the connection decides: its policy is active at once. One policy is active for each connection, network ' +
      'and asset; `replaces` ends the one that is.',
    surface,
    credential: 'adminOrDevice',
    status: 201,
    body: CreatePolicyInput,
    readsBodyItself: true,
    keyed: true,
    answer: { data: policyWithPayeesSchema },
    errors: ['limit_reached', 'policy_already_active', 'connection_revoked', 'credential_revoked'],
  })
  async create(
    @Body() body: Record<string, unknown>,
    @Req() { headers }: SvcRequest,
    @OwnerCaller() owner: Owner,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readKeyedDraft(CreatePolicyInput, body, headers);
    const { id, replayed } = await this.commands.execute(new CreatePolicy(draft, owner, context));
    sayMade(response, replayed, `/v1/automation-policies/${id}`);
    return this.view(id, owner);
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
    answer: { data: policyWithPayeesSchema },
  })
  read(@Param('id') policyId: PolicyId, @OwnerCaller() owner: Owner) {
    return this.view(policyId, owner);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change thresholds',
    description: 'A change needs a new opt-in. What is spent stays spent.',
    surface,
    credential: 'admin',
    body: ChangePolicyInput,
    readsBodyItself: true,
    answer: { data: policyWithPayeesSchema },
    errors: ['version_conflict', 'invalid_status_transition'],
  })
  async change(
    @Param('id') policyId: PolicyId,
    @Body() body: Record<string, unknown>,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const draft = readDraft(ChangePolicyInput, body);
    await this.commands.execute(new ChangePolicy(policyId, merchantId, draft, context));
    return this.view(policyId, { merchantId });
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Revoke an automation policy',
    description: 'Final. The pending payments made under it are withdrawn; what is signed stays with it.',
    surface,
    credential: 'admin',
    answer: { data: policyWithPayeesSchema },
  })
  async revoke(
    @Param('id') policyId: PolicyId,
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
    description:
      'Only the wallet that owns the connection. Thresholds that are sent apply instead of the proposed ones, and may ' +
      'not be looser. With `version`, only to the terms of that version. It covers the recipients as they are now: if the ' +
      'active version of one changes, a person must approve payments to it until the wallet’s owner opts in again.',
    surface,
    credential: 'device',
    body: OptInInput,
    readsBodyItself: true,
    answer: { data: policyWithPayeesSchema },
    errors: [
      'version_conflict',
      'invalid_status_transition',
      'policy_already_active',
      'connection_revoked',
      'credential_revoked',
    ],
  })
  async optIn(
    @Param('id') policyId: PolicyId,
    @Body() body: Record<string, unknown>,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    await this.commands.execute(new OptIn(policyId, deviceId, readDraft(OptInInput, body), context));
    return this.view(policyId, { deviceId });
  }

  @Post(':id/opt-out')
  @Endpoint({
    summary: 'Withdraw the opt-in',
    description: 'The pending payments made under the policy are withdrawn; what is signed stays with it.',
    surface,
    credential: 'device',
    body: OptOutInput,
    answer: { data: policyWithPayeesSchema },
    errors: ['invalid_status_transition'],
  })
  async optOut(
    @Param('id') policyId: PolicyId,
    @Body() _input: OptOutInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    const command = { kind: 'opt-out', policyId, deviceId, at: this.now() } as const;
    await this.commands.execute(new MovePolicy(command, context));
    return this.view(policyId, { deviceId });
  }

  @Post(':id/decline')
  @Endpoint({
    summary: 'Decline a proposed policy',
    description: 'Final: the merchant may propose another. What was opted in to is ended by opting out.',
    surface,
    credential: 'device',
    body: OptOutInput,
    answer: { data: policyWithPayeesSchema },
    errors: ['invalid_status_transition'],
  })
  async decline(
    @Param('id') policyId: PolicyId,
    @Body() _input: OptOutInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    const command = { kind: 'decline', policyId, deviceId, at: this.now() } as const;
    await this.commands.execute(new MovePolicy(command, context));
    return this.view(policyId, { deviceId });
  }

  private async view(policyId: PolicyId, owner: Owner) {
    const policy = await ownDocument(this.readModel, automationPolicies, policyId, ownershipOf(owner));
    const named = await Promise.all(policy.allowlist.map((id) => this.readModel.get(recipients, id)));
    const payees = named.flatMap((recipient) => (recipient === undefined ? [] : [payeeView(policy, recipient)]));
    const old = policy.replaces === null ? undefined : await this.readModel.get(automationPolicies, policy.replaces);
    const replaced = old === undefined ? null : { id: old.id, reserved: old.reserved, spent: old.spent };
    return { ...(await this.viewOf(policy)), payees, replaced };
  }

  private async viewOf(document: AutomationPolicyDocument) {
    const connection = await this.readModel.get(connections, document.connection_id);
    return policyView(document, connection?.status);
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}
