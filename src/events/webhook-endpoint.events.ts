// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type EndpointId, type MerchantId } from '../kernel/aggregates';

type Own = Readonly<{ endpoint_id: EndpointId; merchant_id: MerchantId }>;

export type WebhookEndpointCreated = Readonly<{
  type: 'WebhookEndpointCreated';
  data: Own &
    Readonly<{
      url: string;
      /** Null asks for every type there is, those to come included. */
      events: readonly string[] | null;
      description: string | null;
      /** Encrypted under the service secret and bound to this endpoint: it must be recoverable to sign. */
      secret_sealed: string;
      created_at: string;
    }>;
}>;

/** The holder of this very URL repeated a challenge: the endpoint is active. */
export type WebhookEndpointVerified = Readonly<{
  type: 'WebhookEndpointVerified';
  data: Own & Readonly<{ url: string; verified_at: string }>;
}>;

export type WebhookEndpointChanged = Readonly<{
  type: 'WebhookEndpointChanged';
  data: Own &
    Readonly<{
      url: string;
      events: readonly string[] | null;
      description: string | null;
      /** The URL is another one: whoever holds it has proven nothing yet. */
      needs_verification: boolean;
      changed_at: string;
    }>;
}>;

/** The secret before signs along until `previous_until`. */
export type WebhookEndpointSecretRotated = Readonly<{
  type: 'WebhookEndpointSecretRotated';
  data: Own & Readonly<{ secret_sealed: string; previous_until: string; rotated_at: string }>;
}>;

export type DisabledReason =
  /** Somebody asked for it. */
  | 'merchant'
  /** It answered 410. */
  | 'gone'
  /** Nothing but failures for too long. */
  | 'failing';

export type WebhookEndpointDisabled = Readonly<{
  type: 'WebhookEndpointDisabled';
  data: Own & Readonly<{ reason: DisabledReason; disabled_at: string }>;
}>;

export type WebhookEndpointEnabled = Readonly<{
  type: 'WebhookEndpointEnabled';
  data: Own & Readonly<{ enabled_at: string }>;
}>;

/** What finally failed since the given moment is to be sent again. */
export type WebhookEndpointRecoveryRequested = Readonly<{
  type: 'WebhookEndpointRecoveryRequested';
  data: Own & Readonly<{ recovery_id: string; since: string; requested_at: string }>;
}>;

export type WebhookEndpointDeleted = Readonly<{
  type: 'WebhookEndpointDeleted';
  data: Own & Readonly<{ deleted_at: string }>;
}>;

export type WebhookEndpointEvent =
  | WebhookEndpointCreated
  | WebhookEndpointVerified
  | WebhookEndpointChanged
  | WebhookEndpointSecretRotated
  | WebhookEndpointDisabled
  | WebhookEndpointEnabled
  | WebhookEndpointRecoveryRequested
  | WebhookEndpointDeleted;
