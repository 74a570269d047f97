import { Controller, createParamDecorator, type ExecutionContext, Get, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { integer } from '../../http/input/checks';
import { Endpoint } from '../../http/openapi/endpoint.decorator';
import { Connection, type ConnectionCaller, ConnectionGuard } from '../../access/connection.guard';
import { type SvcRequest } from '../../http/server/request-context';
import { refuseInput } from '../../kernel/errors';
import { EventStream } from './event-stream';
import { LongPolls } from './long-polls';
import { eventSchema, isCursor, PollEventsInput, pollOf } from './payment-request-events.dto';

/** For asking a guard once more, long after it let the request in. */
const Execution = createParamDecorator((_: unknown, execution: ExecutionContext) => execution);

const EVENT_STREAM = 'text/event-stream';

/** Stands before the controller of single requests, whose `/{id}` would take `events` for an id. */
@ApiTags('Payment requests')
@Controller('v1/payment-requests/events')
export class PaymentRequestEventsController {
  constructor(
    private readonly polls: LongPolls,
    private readonly stream: EventStream,
    private readonly guard: ConnectionGuard,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Poll status events',
    description:
      'The cursor counts the connection’s events: 1, 2, 3 …; `since` is the last one seen. With `wait` an empty answer is held ' +
      'back until there is an event. With `Accept: text/event-stream` the same events come as server-sent events whose id is ' +
      'the cursor, and `Last-Event-ID` goes on after it.',
    credential: 'connection',
    scope: 'payment.requests.read',
    query: PollEventsInput,
    answer: {
      events: { type: 'array', items: eventSchema },
      next_cursor: integer(0, Number.MAX_SAFE_INTEGER, 'The next `since`').schema,
      has_more: { type: 'boolean' },
    },
    media: { types: { [EVENT_STREAM]: { type: 'string' } } },
  })
  async poll(
    @Query() input: PollEventsInput,
    @Connection() caller: ConnectionCaller,
    @Execution() execution: ExecutionContext,
    @Req() request: SvcRequest,
    @Res() response: Response,
  ): Promise<void> {
    const poll = pollOf(input);
    const stillAllowed = () => this.guard.canActivate(execution);
    if (request.method === 'GET' && request.accepts(['application/json', EVENT_STREAM]) === EVENT_STREAM) {
      await this.stream.serve(caller, lastSeen(request) ?? poll.since, stillAllowed, response);
      return;
    }
    const whenGone = (leave: () => void): void => void response.once('close', leave);
    response.json({ ok: true, ...(await this.polls.nextPage(caller, poll, stillAllowed, whenGone)) });
  }
}

/** A reader that comes back says where it was; its address still says where it began. */
function lastSeen({ headers }: SvcRequest): number | undefined {
  const value = headers['last-event-id'];
  if (value === undefined || value === '') return undefined;
  if (isCursor(value)) return Number(value);
  throw refuseInput([{ code: 'out_of_range', field: 'last-event-id', message: 'must be the id of an event received' }]);
}
