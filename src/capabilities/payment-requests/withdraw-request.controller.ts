import { Body, Controller, Inject, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { paymentRequestView } from '../../../projections/payment-request-document';
import { paymentRequests } from '../../../projections/payment-requests.projection';
import { EitherCaller } from '../../access/claim-or-device.guard';
import { Tag } from '../../api/openapi/described';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { knownDocument } from '../../http/input/own-documents';
import { WithdrawInput } from '../../http/input/withdrawal';
import { type Caller, Context } from '../../http/server/request-context';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { requestNamed } from '../payments/request-names';
import { WithdrawPaymentRequest } from '../payments/withdrawals';
import { paymentRequestSchema } from './payment-request.schema';

@Tag('Payment requests')
@Controller('v1/payment-requests')
export class WithdrawRequestController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post(':id/withdraw')
  @Endpoint({
    summary: 'Withdraw a payment request that nobody has signed yet',
    description:
      'The agent that asked takes it back, or the merchant does: it becomes `failed` with the reason `withdrawn`. Withdrawing it ' +
      'again changes nothing. Once it is signed, or has ended otherwise, 409 `invalid_status_transition` says what it has become.',
    credential: 'connectionOrMerchant',
    scope: 'payment.requests.create',
    body: WithdrawInput,
    answer: { payment_request: paymentRequestSchema },
    errors: ['invalid_status_transition'],
  })
  async withdraw(
    @Param('id') id: string,
    @Body() { reason }: WithdrawInput,
    @EitherCaller() caller: Caller,
    @Context() context: CommandContext,
  ) {
    const { id: place } = await requestNamed(this.readModel, id, caller);
    const by = caller.connection ? 'agent' : 'merchant';
    await this.commands.execute(new WithdrawPaymentRequest(place, by, reason ?? null, context));
    return {
      ok: true,
      payment_request: paymentRequestView(await knownDocument(this.readModel, paymentRequests, place)),
    };
  }
}
