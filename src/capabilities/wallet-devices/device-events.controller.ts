import { Controller, type ExecutionContext, Get, Param, Query, Req, Res } from '@nestjs/common';
import { Tag } from '../../api/openapi/described';
import { type Response } from 'express';
import { DEVICE_EVENT_TYPES } from '../../../projections/device-events.projection';
import { DeviceGuard, DeviceId } from '../../access/device.guard';
import { Execution, FeedAnswers } from '../../http/feeds/feed-answers';
import { EVENT_STREAM, feedAnswer, FeedInput } from '../../http/feeds/feed-input';
import { dateTime, freeForm, integer, named, object, oneOf, text } from '../../http/input/checks';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { type SvcRequest } from '../../http/server/request-context';
import { refuse } from '../../kernel/errors';
import { DeviceFeed } from './device-feed';
import { type WalletDeviceId } from '../../kernel/aggregates';

const eventSchema = named(
  'WalletDeviceEvent',
  object({
    cursor: integer(1, Number.MAX_SAFE_INTEGER, '1, 2, 3 … within the device'),
    event_id: text({ max: 160 }),
    type: oneOf(DEVICE_EVENT_TYPES),
    occurred_at: dateTime(),
    data: freeForm('The ids of what it is about, the status it now has, and what was reported with it'),
  }).schema,
);

@Tag('Wallet devices')
@Controller('v1/wallet-devices/:id/events')
export class DeviceEventsController {
  constructor(
    private readonly feed: DeviceFeed,
    private readonly answers: FeedAnswers,
    private readonly guard: DeviceGuard,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Poll the events of this device',
    description:
      'Invitations, pairing decisions, connections, payment requests, agent payments and policies. The cursor counts 1, 2, 3 … ' +
      'within the device; `wait`, `Accept: text/event-stream` and `Last-Event-ID` work as with payment request events.',
    credential: 'device',
    query: FeedInput,
    answer: feedAnswer(eventSchema),
    media: { types: { [EVENT_STREAM]: { type: 'string' } } },
  })
  async poll(
    @Param('id') id: string,
    @Query() input: FeedInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Execution() execution: ExecutionContext,
    @Req() request: SvcRequest,
    @Res() response: Response,
  ): Promise<void> {
    if (id !== deviceId) throw refuse('resource_not_found');
    const stillAllowed = () => this.guard.canActivate(execution);
    await this.answers.answer(this.feed.of(deviceId), { input, request, response, stillAllowed });
  }
}
