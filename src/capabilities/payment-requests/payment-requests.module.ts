import { Module } from '@nestjs/common';
import { EventFeed } from './event-feed';
import { EventStream } from './event-stream';
import { ExpireRequests } from './expire-requests';
import { LongPolls } from './long-polls';
import { NewsBell } from './news-bell';
import { PaymentRequestEventsController } from './payment-request-events.controller';
import { PaymentRequestsController } from './payment-requests.controller';
import { CreatePaymentRequestHandler, ReportPaymentStatusHandler } from './payment-requests.handlers';
import { RequestPlaces } from './request-places';
import { SharedPages } from './shared-pages';

@Module({
  // In this order: `/events` is not the id of a request.
  controllers: [PaymentRequestEventsController, PaymentRequestsController],
  providers: [
    CreatePaymentRequestHandler,
    ReportPaymentStatusHandler,
    RequestPlaces,
    ExpireRequests,
    NewsBell,
    EventFeed,
    SharedPages,
    LongPolls,
    EventStream,
  ],
})
export class PaymentRequestsModule {}
