import { Controller, type ExecutionContext, Get, Query, Req, Res } from '@nestjs/common';
import { Tag } from '../../api/openapi/described';
import { type Response } from 'express';
import { Execution, FeedAnswers } from '../../http/feeds/feed-answers';
import { EVENT_STREAM, feedAnswer, FeedInput } from '../../http/feeds/feed-input';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Connection, ConnectionGuard } from '../../access/connection.guard';
import { type ConnectionCaller } from '../../http/server/callers';
import { type SvcRequest } from '../../http/server/request-context';
import { EventFeed } from './event-feed';
import { eventSchema } from './payment-request-events.dto';

/** Must precede the controller for single requests, whose `/{id}` would take `events` for an id. */
@Tag('Payment requests')
@Controller('v1/payment-requests/events')
export class PaymentRequestEventsController {
  constructor(
    private readonly feed: EventFeed,
    private readonly answers: FeedAnswers,
    private readonly guard: ConnectionGuard,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Poll status events',
    description:
      'The cursor counts the connection’s events: 1, 2, 3 …; `since` is the last one seen. With `wait` an empty answer is held ' +
      'back until there is an event. With `Accept: text/event-stream` the same events come as server-sent events whose id is ' +
      'the cursor, and `Last-Event-ID` goes on after it; before them comes one message of the type `opened` that holds `since` ' +
      'and `newest_cursor`.',
    credential: 'connection',
    scope: 'payment.requests.read',
    query: FeedInput,
    answer: feedAnswer(eventSchema),
    media: { types: { [EVENT_STREAM]: { type: 'string' } } },
  })
  async poll(
    @Query() input: FeedInput,
    @Connection() caller: ConnectionCaller,
    @Execution() execution: ExecutionContext,
    @Req() request: SvcRequest,
    @Res() response: Response,
  ): Promise<void> {
    const stillAllowed = () => this.guard.canActivate(execution);
    await this.answers.answer(this.feed.of(caller), { input, request, response, stillAllowed });
  }
}
