import { CreateWebhookEndpointHandler } from './create-webhook-endpoint';
import { Module } from '@nestjs/common';
import { MailModule } from '../../platform/mail/mail.module';
import { DeletedEndpoints } from './deleted-endpoints';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryLimits } from './delivery-limits';
import { DeliveryParts } from './delivery-parts';
import { DeliverySubjects } from './delivery-subjects';
import { EndpointPlaces } from './endpoint-places';
import { FollowedSubjects } from './followed-subjects';
import { MerchantEventsController } from './merchant-events.controller';
import { MerchantFeed } from './merchant-feed';
import { OutcomeLog } from './outcome-log';
import { Recording } from './recording';
import { RecoverDeliveriesHandler } from './recover-deliveries';
import { RedeliverWebhookHandler } from './redeliver-webhook';
import { CancelRewindHandler, RewindWebhookEndpointHandler } from './rewind-endpoint';
import { SendingCapacity } from './sending-capacity';
import { WebhookSecrets } from './signing';
import { TestWebhookEndpointHandler } from './test-endpoint';
import { VerifyWebhookEndpointHandler } from './verify-endpoint';
import { WebhookDeliveriesController } from './webhook-deliveries.controller';
import { WebhookDispatcher } from './webhook-dispatcher';
import { WebhookEndpointsController } from './webhook-endpoints.controller';
import { WebhookNoticesReactor } from './webhook-notices.reactor';
import { WebhookRequeueReactor } from './webhook-requeue.reactor';
import { WebhookRewindsController } from './webhook-rewinds.controller';
import { WebhookSender } from './webhook-sender';
import { ChangeWebhookEndpointHandler, RotateWebhookSecretHandler } from './webhooks.handlers';

@Module({
  imports: [MailModule],
  controllers: [
    WebhookEndpointsController,
    WebhookRewindsController,
    WebhookDeliveriesController,
    MerchantEventsController,
  ],
  providers: [
    DeliveryLimits,
    WebhookSecrets,
    WebhookSender,
    DeliveryAttempts,
    DeliveryParts,
    DeliverySubjects,
    DeletedEndpoints,
    OutcomeLog,
    Recording,
    SendingCapacity,
    EndpointPlaces,
    FollowedSubjects,
    MerchantFeed,
    WebhookDispatcher,
    WebhookRequeueReactor,
    WebhookNoticesReactor,
    CreateWebhookEndpointHandler,
    ChangeWebhookEndpointHandler,
    RotateWebhookSecretHandler,
    RedeliverWebhookHandler,
    RecoverDeliveriesHandler,
    RewindWebhookEndpointHandler,
    CancelRewindHandler,
    TestWebhookEndpointHandler,
    VerifyWebhookEndpointHandler,
  ],
})
export class WebhooksModule {}
