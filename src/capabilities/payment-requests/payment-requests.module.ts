import { Module } from '@nestjs/common';
import { EventFeed } from './event-feed';
import { ExpireRequests } from './expire-requests';
import { PaymentRequestEventsController } from './payment-request-events.controller';
import { PaymentRequestsController } from './payment-requests.controller';
import { CreatePaymentRequestHandler, ReportPaymentStatusHandler } from './payment-requests.handlers';
import { RequestPlaces } from './request-places';

@Module({
  // In this order: `/events` is not the id of a request.
  controllers: [PaymentRequestEventsController, PaymentRequestsController],
  providers: [CreatePaymentRequestHandler, ReportPaymentStatusHandler, RequestPlaces, ExpireRequests, EventFeed],
})
export class PaymentRequestsModule {}
