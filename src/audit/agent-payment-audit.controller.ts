import { Controller, Get, Inject, Param } from '@nestjs/common';
import { type AgentPaymentDocument, agentPayments } from '../../projections/agent-payments.projection';
import { connections } from '../../projections/connections.projection';
import { recipients } from '../../projections/recipients.projection';
import { EitherCaller } from '../access/claim-or-device.guard';
import { type Owner, OwnerCaller, ownershipOf } from '../access/project.guard';
import { Tag } from '../api/openapi/described';
import { Endpoint } from '../api/openapi/endpoint.decorator';
import { type JsonSchema, named, object } from '../http/input/checks';
import { ownDocument } from '../http/input/own-documents';
import { type Caller } from '../http/server/request-context';
import { type PaymentId } from '../kernel/aggregates';
import { EVENT_STORE, type EventStore } from '../platform/event-store/event-store.port';
import { streamName } from '../platform/event-store/stream-name';
import { READ_MODEL, type ReadModel } from '../platform/read-model/read-model.port';
import { proofSchema } from './audit.dto';
import { viewerOf } from './log/visibility';
import { PaymentProver } from './payment-prover';
import { entrySchema } from './payment-timeline.controller';
import { timelineEntry } from './timeline';

const surface = 'agent';
const answerOf = (name: string, schema: JsonSchema) => ({
  data: named(`AgentPayment${name}`, object({ [name.toLowerCase()]: { problems: () => [], schema } }).schema),
});

/** What the log says about an agent payment, for its merchant. */
@Tag('Agent payments')
@Controller('v1/agent-payments')
export class AgentPaymentAuditController {
  constructor(
    private readonly prover: PaymentProver,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL) private readonly model: ReadModel,
  ) {}

  @Get(':id/timeline')
  @Endpoint({
    summary: 'Read the timeline of an agent payment',
    description:
      'Every event of it in order: who, with which credential, when, what changed and on what evidence, refusals and late ' +
      'reports included.',
    surface,
    credential: 'apiKeyOrAdmin',
    answer: answerOf('Timeline', { type: 'array', items: entrySchema }),
  })
  async timeline(@Param('id') id: PaymentId, @OwnerCaller() owner: Owner, @EitherCaller() caller: Caller) {
    const payment = await this.own(id, owner);
    const [events, recipient, connection] = await Promise.all([
      this.store.readStream(streamName('agent_payment', id)),
      this.model.get(recipients, payment.recipient_id),
      this.model.get(connections, payment.connection_id),
    ]);
    const { agent_name: agentName = '', merchant_name: merchantName = '' } = connection ?? {};
    const about = { ...payment, agentName, merchantName };
    return { timeline: events.map((event) => timelineEntry(event, about, recipient, viewerOf(caller))) };
  }

  @Get(':id/proof')
  @Endpoint({
    summary: 'Prove what the log says about an agent payment',
    description: 'As for a payment request; `request_id` in it is the payment’s id.',
    surface,
    credential: 'apiKeyOrAdmin',
    answer: answerOf('Proof', proofSchema),
  })
  async proof(@Param('id') id: PaymentId, @OwnerCaller() owner: Owner, @EitherCaller() caller: Caller) {
    const request = { ...(await this.own(id, owner)), stream: streamName('agent_payment', id) };
    return { proof: await this.prover.prove({ requestId: id, request, viewer: viewerOf(caller) }) };
  }

  private own(id: PaymentId, owner: Owner): Promise<AgentPaymentDocument> {
    return ownDocument(this.model, agentPayments, id, ownershipOf(owner));
  }
}
