import { Controller, type ExecutionContext, Get, Query, Req, Res } from '@nestjs/common';
import { Tag } from '../../api/openapi/described';
import { type Response } from 'express';
import { Merchant, SessionGuard } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { Execution, FeedAnswers } from '../../http/feeds/feed-answers';
import { EVENT_STREAM, feedAnswer } from '../../http/feeds/feed-input';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { type SvcRequest } from '../../http/server/request-context';
import { MerchantFeed } from './merchant-feed';
import { MerchantEventsInput, merchantEventSchema, typesOf } from './merchant-events.dto';

@Tag('Webhooks')
@Controller('v1/events')
export class MerchantEventsController {
  constructor(
    private readonly feed: MerchantFeed,
    private readonly answers: FeedAnswers,
    private readonly guard: SessionGuard,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Read everything that webhooks deliver',
    description:
      'One feed of every type of event: the cursor counts the merchant’s events, 1, 2, 3 …, and a webhook ' +
      'carries it in the header `webhook-cursor`, so that a receiver can detect a gap and fill it here. Apart from `cursor`, an event ' +
      'is exactly the body that a webhook sends. `wait` and `Accept: text/event-stream` work as for `/v1/payment-requests/events`.',
    credential: 'merchant',
    query: MerchantEventsInput,
    answer: feedAnswer(merchantEventSchema),
    media: { types: { [EVENT_STREAM]: { type: 'string' } } },
  })
  async poll(
    @Query() input: MerchantEventsInput,
    @Merchant() caller: MerchantCaller,
    @Execution() execution: ExecutionContext,
    @Req() request: SvcRequest,
    @Res() response: Response,
  ): Promise<void> {
    const stillAllowed = () => this.guard.canActivate(execution);
    await this.answers.answer(this.feed.of(caller, typesOf(input)), { input, request, response, stillAllowed });
  }
}
