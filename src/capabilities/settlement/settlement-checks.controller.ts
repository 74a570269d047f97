import { Controller, Inject, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { agentPayments } from '../../../projections/agent-payments.projection';
import { type Owner, OwnerCaller, ownershipOf } from '../../access/project.guard';
import { named, object } from '../../http/input/checks';
import { ownDocument } from '../../http/input/own-documents';
import { type PaymentId } from '../../kernel/aggregates';
import { EitherCaller } from '../../access/claim-or-device.guard';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { type Caller, Context } from '../../http/server/request-context';
import { refuse } from '../../kernel/errors';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { requestNamed } from '../payments/request-names';
import { settlement, settlementSchema } from '../payments/payment-schema';
import { RequestAgentPaymentCheck, RequestSettlementCheck } from '../payments/settlement-commands';
import { SETTLEMENT_WITNESSES, type SettlementWitnesses } from './witness.port';

@Tag('Payment requests')
@Controller('v1/payment-requests')
export class SettlementChecksController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(SETTLEMENT_WITNESSES) private readonly witnesses: SettlementWitnesses,
  ) {}

  @Post(':id/settlement-checks')
  @Endpoint({
    summary: 'Look the reported transaction up on its network again',
    description:
      'The answer does not wait for the check and contains what was known before it. The result appears as ' +
      '`settlement` of the request and, if it is new, as ' +
      '`payment_request.settlement_observed`. At most five checks of one request are accepted per minute.',
    credential: 'merchant',
    status: 202,
    answer: { settlement: settlementSchema },
    errors: ['transaction_not_reported', 'settlement_not_witnessed'],
  })
  async check(@Param('id') id: string, @EitherCaller() caller: Caller, @Context() context: CommandContext) {
    const request = await requestNamed(this.readModel, id, caller);
    if (request.transaction_hash === null) throw refuse('transaction_not_reported');
    if (!this.witnesses.has(request.facts.network)) throw refuse('settlement_not_witnessed');
    await this.commands.execute(new RequestSettlementCheck(request.id, context));
    return { ok: true, settlement: request.settlement };
  }
}

@Tag('Agent payments')
@Controller('v1/agent-payments')
export class AgentPaymentChecksController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(SETTLEMENT_WITNESSES) private readonly witnesses: SettlementWitnesses,
  ) {}

  @Post(':id/settlement-checks')
  @Endpoint({
    summary: 'Look the reported transaction of an agent payment up on its network again',
    description:
      'As for a payment request: the answer does not wait for the check. At most five are accepted per minute.',
    surface: 'agent',
    credential: 'apiKeyOrAdmin',
    status: 202,
    answer: { data: named('AgentPaymentSettlementCheck', object({ settlement }).schema) },
    errors: ['transaction_not_reported', 'settlement_not_witnessed'],
  })
  async check(@Param('id') id: PaymentId, @OwnerCaller() owner: Owner, @Context() context: CommandContext) {
    const payment = await ownDocument(this.readModel, agentPayments, id, ownershipOf(owner));
    if (payment.transaction_hash === null) throw refuse('transaction_not_reported');
    if (!this.witnesses.has(payment.facts.network)) throw refuse('settlement_not_witnessed');
    await this.commands.execute(new RequestAgentPaymentCheck(id, context));
    return { settlement: payment.settlement };
  }
}
