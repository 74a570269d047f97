import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { Tag } from '../api/openapi/described';
import { Endpoint } from '../api/openapi/endpoint.decorator';
import { requestNamed } from '../capabilities/payments/request-names';
import { ConnectionChoiceInput } from '../http/input/connection-choice';
import { EitherCaller } from '../access/claim-or-device.guard';
import { type Caller } from '../http/server/request-context';
import { streamName } from '../platform/event-store/stream-name';
import { READ_MODEL, type ReadModel } from '../platform/read-model/read-model.port';
import { proofSchema } from './audit.dto';
import { viewerOf } from './log/visibility';
import { PaymentProver } from './payment-prover';

@Tag('Audit')
@Controller('v1/payment-requests')
export class PaymentProofsController {
  constructor(
    private readonly prover: PaymentProver,
    @Inject(READ_MODEL) private readonly model: ReadModel,
  ) {}

  @Get(':id/proof')
  @Endpoint({
    summary: 'Prove what the log says about a payment request',
    description:
      'The events this caller may see, each with the hashes that lead from it to the root of a signed checkpoint. ' +
      '`npm run audit -- check` and the client library verify it without the service.',
    credential: 'party',
    scope: 'payment.requests.read',
    query: ConnectionChoiceInput,
    answer: { proof: proofSchema },
    errors: ['ambiguous_request_id'],
  })
  async prove(
    @Param('id') id: string,
    @Query() { connection_id }: ConnectionChoiceInput,
    @EitherCaller() caller: Caller,
  ) {
    const viewer = viewerOf(caller);
    const document = await requestNamed(this.model, id, caller, connection_id);
    const request = { ...document, stream: streamName('payment_request', document.id) };
    return { ok: true, proof: await this.prover.prove({ requestId: id, request, viewer }) };
  }
}
