import { Module } from '@nestjs/common';
import { Duplicates } from '../payments/duplicates';
import { OpenPayments } from '../payments/open-payments';
import { Reviews } from '../payments/reviews';
import { WithdrawPending } from '../payments/withdraw-pending.reactor';
import { EventFeed } from './event-feed';
import { ExpireRequests } from './expire-requests';
import { PaymentRequestEventsController } from './payment-request-events.controller';
import { PaymentRequestsController } from './payment-requests.controller';
import { CreatePaymentRequestHandler, ReportPaymentStatusHandler } from './payment-requests.handlers';
import { RequestPlaces } from './request-places';
import { RecordRequestSettlementHandler, RequestSettlementCheckHandler } from './settlement.handlers';
import { RequestSearch } from './request-search';
import { TakeRequestKeyHandler } from './take-request-key.handler';
import { WithdrawRequestController } from './withdraw-request.controller';
import { WithdrawPaymentRequestHandler } from './withdraw-request.handler';

@Module({
  // The order matters: `/events` must not be taken for the id of a request.
  controllers: [PaymentRequestEventsController, PaymentRequestsController, WithdrawRequestController],
  providers: [
    CreatePaymentRequestHandler,
    ReportPaymentStatusHandler,
    RecordRequestSettlementHandler,
    RequestSettlementCheckHandler,
    TakeRequestKeyHandler,
    WithdrawPaymentRequestHandler,
    OpenPayments,
    WithdrawPending,
    RequestPlaces,
    RequestSearch,
    Duplicates,
    Reviews,
    ExpireRequests,
    EventFeed,
  ],
})
export class PaymentRequestsModule {}
