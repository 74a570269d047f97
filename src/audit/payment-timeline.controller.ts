import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { Tag } from '../api/openapi/described';
import { recipients } from '../../projections/recipients.projection';
import { requestNamed } from '../capabilities/payments/request-names';
import { ConnectionChoiceInput } from '../http/input/connection-choice';
import { EitherCaller } from '../access/claim-or-device.guard';
import { dateTime, freeForm, integer, named, nullable, object, oneOf, text } from '../http/input/checks';
import { Endpoint } from '../api/openapi/endpoint.decorator';
import { type Caller } from '../http/server/request-context';
import { EVENT_STORE, type EventStore } from '../platform/event-store/event-store.port';
import { streamName } from '../platform/event-store/stream-name';
import { READ_MODEL, type ReadModel } from '../platform/read-model/read-model.port';
import { viewerOf } from './log/visibility';
import { timelineEntry } from './timeline';

const STATUSES = ['pending', 'intent_created', 'signed', 'broadcasted', 'confirmed', 'failed', 'expired', 'rejected'];
const who = object({ kind: text({ max: 80 }), name: text({ max: 200 }), id: text({ max: 160 }) }, ['id']);

export const entrySchema = named(
  'TimelineEntry',
  object(
    {
      event_id: text({ max: 160 }),
      version: integer(1, Number.MAX_SAFE_INTEGER, 'Its place among the request’s events'),
      type: text({ max: 80, example: 'payment_request.signed' }),
      occurred_at: dateTime(),
      actor: {
        ...who,
        schema: { ...who.schema, description: 'Who did it; without an id that this caller may not see' },
      },
      credential: nullable(object({ kind: text({ max: 80 }), id: text({ max: 160 }) }, ['id'])),
      request_id: text({ max: 160, description: 'The call that caused it' }),
      status: oneOf(STATUSES, 'The new status, if it changed'),
      previous_status: nullable(oneOf(STATUSES)),
      summary: text({ max: 2000, description: 'The same as a sentence' }),
      data: freeForm('What was reported with it'),
      evidence: nullable(freeForm('What it is based on')),
    },
    ['request_id', 'status', 'previous_status'],
  ).schema,
);

@Tag('Payment requests')
@Controller('v1/payment-requests')
export class PaymentTimelineController {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL) private readonly model: ReadModel,
  ) {}

  @Get(':id/timeline')
  @Endpoint({
    summary: 'Read the timeline of a payment request',
    description:
      'Every event of it in order: who, with which credential, when, what changed and on what evidence, refusals and late ' +
      'reports included. Each party sees of the others only what it sees of them elsewhere.',
    credential: 'party',
    scope: 'payment.requests.read',
    query: ConnectionChoiceInput,
    errors: ['ambiguous_request_id'],
    answer: { timeline: { type: 'array', items: entrySchema } },
  })
  async read(
    @Param('id') id: string,
    @Query() { connection_id }: ConnectionChoiceInput,
    @EitherCaller() caller: Caller,
  ) {
    const viewer = viewerOf(caller);
    const request = await requestNamed(this.model, id, caller, connection_id);
    const [events, recipient] = await Promise.all([
      this.store.readStream(streamName('payment_request', request.id)),
      this.model.get(recipients, request.recipient_id),
    ]);
    const { agent_name = '', merchant_name = '' } = JSON.parse(request.source) as Readonly<Record<string, string>>;
    const payment = { ...request, agentName: agent_name, merchantName: merchant_name };
    return { ok: true, timeline: events.map((event) => timelineEntry(event, payment, recipient, viewer)) };
  }
}
