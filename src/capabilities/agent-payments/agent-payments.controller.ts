import { Body, Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { type Response } from 'express';
import {
  type AgentPaymentDocument,
  agentPayments,
  agentPaymentView,
} from '../../../projections/agent-payments.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { ApiKey } from '../../access/api-key.guard';
import { type ApiKeyCaller } from '../../http/server/callers';
import { EitherCaller } from '../../access/claim-or-device.guard';
import { DeviceId } from '../../access/device.guard';
import { indexOf, type Owner, OwnerCaller, ownershipOf } from '../../access/project.guard';
import {
  isOwned,
  narrowed,
  ownDocument,
  ownPage,
  pageDataSchema,
  type IndexSearch,
  type OwnPage,
} from '../../http/input/own-documents';
import { WithdrawInput } from '../../http/input/withdrawal';
import { type Caller, Context, type SvcRequest } from '../../http/server/request-context';
import { reportOf } from '../../http/input/status-report';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { refuse } from '../../kernel/errors';
import { withReview } from '../payments/review-schema';
import { Reviews } from '../payments/reviews';
import { WithdrawAgentPayment } from '../payments/withdrawals';
import { agentPaymentSchema } from './agent-payment.schema';
import {
  AgentPaymentByKeyInput,
  CreateAgentPaymentInput,
  ListAgentPaymentsInput,
  ReportAgentPaymentInput,
} from './agent-payments.dto';
import { ReportAgentPayment } from './agent-payments.handlers';
import { CreateAgentPayment } from './create-agent-payment.handler';
import { PaymentByKey } from './payment-by-key';
import { readSubmission } from './submission';
import { type WalletDeviceId, type PaymentId } from '../../kernel/aggregates';

const surface = 'agent';

@Tag('Agent payments')
@Controller('v1/agent-payments')
export class AgentPaymentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly reviews: Reviews,
    private readonly keys: PaymentByKey,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Create a payment intent',
    description:
      'Answers 201 with `Location`: nothing is paid. With initiator `agent` it must be within an active policy: `policy_id`, ' +
      'or the oldest that permits it. Otherwise 403 `HC_NC_5_HITL_REQUIRED` names every threshold in the way. ' +
      'Either way the connection must have been granted `payment.requests.create`. The same intent under the same `X-Idempotency-Key` ' +
      '(or `Idempotency-Key`, or `idempotency_key`) answers 200 with `Idempotent-Replayed: true` and the payment as it now is. ' +
      'With `idempotency_scope: connection` a key under which the connection has a payment request is refused, and the other way round.',
    surface,
    credential: 'apiKey',
    status: 201,
    again: 200,
    body: CreateAgentPaymentInput,
    readsBodyItself: true,
    answer: { data: agentPaymentSchema },
    errors: [
      'HC_NC_5_HITL_REQUIRED',
      'possible_duplicate',
      'IDEMPOTENCY_KEY_MISMATCH',
      'IDEMPOTENCY_KEY_REUSED',
      'recipient_version_not_active',
      'connection_paused',
      'connection_revoked',
      'credential_revoked',
      'agent_not_active',
      'insufficient_scope',
    ],
  })
  async create(
    @Body() body: Record<string, unknown>,
    @Req() { headers }: SvcRequest,
    @ApiKey() caller: ApiKeyCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const submission = readSubmission(body, headers);
    const { paymentId, replayed } = await this.commands.execute(new CreateAgentPayment(submission, caller, context));
    response.setHeader('Location', `/v1/agent-payments/${paymentId}`);
    if (replayed) response.status(200).setHeader('Idempotent-Replayed', 'true');
    return this.view(paymentId, caller);
  }

  @Get()
  @Endpoint({
    summary: 'List agent payments, newest first',
    description: 'A merchant sees its own, a wallet those of its connections.',
    surface,
    credential: 'project',
    query: ListAgentPaymentsInput,
    answer: { data: pageDataSchema('agent_payments', agentPaymentSchema) },
  })
  async list(@Query() input: ListAgentPaymentsInput, @OwnerCaller() owner: Owner) {
    const { documents, next_cursor } = await this.page(input, owner);
    return { agent_payments: documents.map(agentPaymentView), next_cursor };
  }

  @Get('by-key/:key')
  @Endpoint({
    summary: 'Read the agent payment made under an idempotency key',
    description:
      'Use it after a lost answer: 404 means that nothing was created under this key. With `connection_id` the key is looked up among the ' +
      'keys of that connection (`idempotency_scope: connection`) first, and then among the merchant’s.',
    surface,
    credential: 'apiKey',
    query: AgentPaymentByKeyInput,
    answer: { data: agentPaymentSchema },
  })
  async byKey(
    @Param('key') key: string,
    @Query() { connection_id }: AgentPaymentByKeyInput,
    @ApiKey() caller: ApiKeyCaller,
  ) {
    const paymentId = await this.keys.find(caller, key, connection_id);
    if (paymentId === undefined) throw refuse('resource_not_found');
    return this.view(paymentId, caller);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read an agent payment with its authoritative status',
    surface,
    credential: 'project',
    answer: { data: withReview(agentPaymentSchema) },
  })
  async read(@Param('id') paymentId: PaymentId, @OwnerCaller() owner: Owner) {
    const payment = await ownDocument(this.readModel, agentPayments, paymentId, ownershipOf(owner));
    const review = 'deviceId' in owner ? await this.reviews.ofAgentPayment(payment) : {};
    return { ...agentPaymentView(payment), ...review };
  }

  @Post(':id/status')
  @Endpoint({
    summary: 'Report the status of an agent payment',
    description:
      'intent_created → signed, rejected, failed; signed → broadcasted, failed; broadcasted → confirmed, failed. The same ' +
      'report again changes nothing. A report on a payment that has ended is refused; that money moved all the same is kept, and shown as `late`.',
    surface,
    credential: 'device',
    body: ReportAgentPaymentInput,
    answer: { data: agentPaymentSchema },
    errors: ['invalid_status_transition', 'request_expired'],
  })
  async report(
    @Param('id') paymentId: PaymentId,
    @Body() input: ReportAgentPaymentInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    await this.commands.execute(new ReportAgentPayment(paymentId, reportOf(input, deviceId), context));
    return this.view(paymentId, { deviceId });
  }

  @Post(':id/withdraw')
  @Endpoint({
    summary: 'Withdraw an agent payment that the wallet has not signed yet',
    description:
      'It becomes `failed` with the reason `withdrawn`, and its amount goes back to its policy. Withdrawing it again changes nothing. ' +
      'Once it is signed, or has ended otherwise, 409 `invalid_status_transition` says what it has become.',
    surface,
    credential: 'apiKeyOrAdmin',
    body: WithdrawInput,
    answer: { data: agentPaymentSchema },
    errors: ['invalid_status_transition'],
  })
  async withdraw(
    @Param('id') paymentId: PaymentId,
    @Body() { reason }: WithdrawInput,
    @OwnerCaller() owner: Owner,
    @EitherCaller() caller: Caller,
    @Context() context: CommandContext,
  ) {
    await ownDocument(this.readModel, agentPayments, paymentId, ownershipOf(owner));
    const by = caller.apiKey ? 'agent' : 'merchant';
    await this.commands.execute(new WithdrawAgentPayment(paymentId, by, reason ?? null, context));
    return this.view(paymentId, owner);
  }

  private async page(input: ListAgentPaymentsInput, owner: Owner): Promise<OwnPage<AgentPaymentDocument>> {
    const { connection_id, status, transaction_hash } = input;
    if (transaction_hash !== undefined) {
      // Few payments share a transaction: the other filters are applied to what the index finds.
      const place = narrowed(indexOf(owner), 'transaction_hash', transaction_hash);
      const filters = { connection_id, status };
      const { documents, next_cursor } = await ownPage(this.readModel, agentPayments, place, input, { filters });
      const wanted = { ...ownershipOf(owner), ...(status && { status }), ...(connection_id && { connection_id }) };
      return { documents: documents.filter((document) => isOwned(document, wanted)), next_cursor };
    }
    const all: IndexSearch = connection_id ? ['by_connection', connection_id] : indexOf(owner);
    const page = await ownPage(this.readModel, agentPayments, narrowed(all, 'status', status), input, {
      filters: ownershipOf(owner),
    });
    // A connection has one merchant and one wallet: either all of its payments belong to the caller, or none do.
    const isOwn = page.documents.every((document) => isOwned(document, ownershipOf(owner)));
    return isOwn ? page : { documents: [], next_cursor: null };
  }

  private async view(paymentId: PaymentId, owner: Owner) {
    return agentPaymentView(await ownDocument(this.readModel, agentPayments, paymentId, ownershipOf(owner)));
  }
}
