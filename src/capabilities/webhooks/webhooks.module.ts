import { Module } from '@nestjs/common';
import { MailModule } from '../../platform/mail/mail.module';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryLimits } from './delivery-limits';
import { EndpointPlaces } from './endpoint-places';
import { FollowedEndpoints } from './followed-endpoints';
import { FollowedSubjects } from './followed-subjects';
import { MerchantEventsController } from './merchant-events.controller';
import { MerchantFeed } from './merchant-feed';
import { WebhookSecrets } from './signing';
import { VerifyWebhookEndpointHandler } from './verify-endpoint';
import { WebhookDeliveriesController } from './webhook-deliveries.controller';
import { WebhookDispatcher } from './webhook-dispatcher';
import { WebhookEndpointsController } from './webhook-endpoints.controller';
import { WebhookFanoutReactor } from './webhook-fanout.reactor';
import { WebhookNoticesReactor } from './webhook-notices.reactor';
import { WebhookRequeueReactor } from './webhook-requeue.reactor';
import { WebhookSender } from './webhook-sender';
import {
  ChangeWebhookEndpointHandler,
  CreateWebhookEndpointHandler,
  RedeliverWebhookHandler,
  RotateWebhookSecretHandler,
} from './webhooks.handlers';

@Module({
  imports: [MailModule],
  controllers: [WebhookEndpointsController, WebhookDeliveriesController, MerchantEventsController],
  providers: [
    DeliveryLimits,
    WebhookSecrets,
    WebhookSender,
    DeliveryAttempts,
    EndpointPlaces,
    FollowedEndpoints,
    FollowedSubjects,
    MerchantFeed,
    WebhookDispatcher,
    WebhookFanoutReactor,
    WebhookRequeueReactor,
    WebhookNoticesReactor,
    CreateWebhookEndpointHandler,
    ChangeWebhookEndpointHandler,
    RotateWebhookSecretHandler,
    RedeliverWebhookHandler,
    VerifyWebhookEndpointHandler,
  ],
})
export class WebhooksModule {}
