export { AgentClient, type CreatedPaymentRequest } from './agent-client.ts';
export {
  type AgentCredential,
  agentKeyFromSeed,
  type AgentKeyPair,
  type AssertionParts,
  newAgentKey,
  type Sign,
  signAssertion,
  signChallenge,
} from './agent-key.ts';
export { AgentPaymentsClient, type AgentPaymentsClientOptions } from './agent-payments-client.ts';
export { type AgentClientOptions, type PairingAnswer } from './connecting.ts';
export {
  type CatalogueError,
  type Issue,
  SvcConnectionError,
  SvcCursorError,
  SvcError,
  SvcTimeoutError,
} from './errors.ts';
export { type Patience } from './waiting.ts';
export { followStream, type OpenStream, type StreamedEvent, type StreamOptions } from './event-stream.ts';
export { type FollowOptions } from './follow-events.ts';
export { MerchantAccess } from './merchant/access.ts';
export type { CreatedMerchant, OpenedSession, SessionInput, VerifiedEmail } from './merchant/access.ts';
export { MerchantClient, type MerchantClientOptions, type SignedInMerchant } from './merchant/client.ts';
export { PAYMENT_STATUSES } from './payment-statuses.ts';
export { type WaitOptions } from './request-waiter.ts';
export { ServiceClient } from './service-client.ts';
export { type CallOptions, type ClientOptions, type KeyedOptions } from './transport.ts';
export type * from './types/agent-payment.ts';
export type * from './types/audit.ts';
export * from './types/common.ts';
export type * from './types/connect.ts';
export type * from './types/merchant.ts';
export type * from './types/network.ts';
export type * from './types/payment.ts';
export type * from './types/review.ts';
export type * from './types/service.ts';
export type * from './types/webhook.ts';
export {
  type RegisteredWallet,
  type RequestCallOptions,
  type RotationOptions,
  WalletClient,
  type WalletClientOptions,
} from './wallet-client.ts';
export {
  type VerifiedWebhook,
  verifyWebhook,
  type VerifyWebhookInput,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhooks.ts';
