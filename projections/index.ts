import { agentPaymentsProjection } from './agent-payments.projection';
import { agentsProjection } from './agents.projection';
import { apiKeysProjection } from './api-keys.projection';
import { automationPoliciesProjection } from './automation-policies.projection';
import { connectInvitationsProjection } from './connect-invitations.projection';
import { connectionsProjection } from './connections.projection';
import { deviceEventsProjection } from './device-events.projection';
import { merchantFeedProjection } from './merchant-feed.projection';
import { merchantSessionsProjection } from './merchant-sessions.projection';
import { merchantsProjection } from './merchants.projection';
import { pairingSessionsProjection } from './pairing-sessions.projection';
import { payeeHistoryProjection } from './payee-history.projection';
import { paymentRequestEventsProjection } from './payment-request-events.projection';
import { paymentRequestsProjection } from './payment-requests.projection';
import { policyJudgementsProjection } from './policy-judgements.projection';
import { type Projection } from '../src/platform/read-model/projection';
import { recipientsProjection } from './recipients.projection';
import { settlementReportsProjection } from './settlement-reports.projection';
import { settlementWatchesProjection } from './settlement-watches.projection';
import { transactionContextsProjection } from './transaction-contexts.projection';
import { transparencyLogProjection } from './transparency-log.projection';
import { walletDevicesProjection } from './wallet-devices.projection';
import { webhookDeliveriesProjection } from './webhook-deliveries.projection';
import { webhookEndpointsProjection } from './webhook-endpoints.projection';
import { webhookQueuesProjection } from './webhook-queues.projection';
import { webhookRewindsProjection } from './webhook-rewinds.projection';

/** The list of all projections: only these are built. */
export const projections: readonly Projection[] = [
  walletDevicesProjection,
  merchantsProjection,
  recipientsProjection,
  agentsProjection,
  connectInvitationsProjection,
  pairingSessionsProjection,
  connectionsProjection,
  transactionContextsProjection,
  paymentRequestsProjection,
  paymentRequestEventsProjection,
  merchantFeedProjection,
  webhookEndpointsProjection,
  webhookDeliveriesProjection,
  webhookQueuesProjection,
  webhookRewindsProjection,
  apiKeysProjection,
  automationPoliciesProjection,
  agentPaymentsProjection,
  settlementReportsProjection,
  settlementWatchesProjection,
  transparencyLogProjection,
  deviceEventsProjection,
  merchantSessionsProjection,
  payeeHistoryProjection,
  policyJudgementsProjection,
];
