// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type MaybeUnderKey } from '../kernel/made-under-key';
import { type EndpointId, type MerchantId } from '../kernel/aggregates';

type Own = Readonly<{ endpoint_id: EndpointId; merchant_id: MerchantId }>;

export type WebhookEndpointCreated = Readonly<{
  type: 'WebhookEndpointCreated';
  data: MaybeUnderKey &
    Own &
    Readonly<{
      url: string;
      /** Null subscribes to every type, including future ones. */
      events: readonly string[] | null;
      description: string | null;
      /** Encrypted with the service secret and bound to this endpoint: it must be recoverable for signing. */
      secret_sealed: string;
      created_at: string;
    }>;
}>;

/** This URL returned a challenge: the endpoint is active. */
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
      /** The URL changed: the new one has not been verified yet. */
      needs_verification: boolean;
      changed_at: string;
    }>;
}>;

/** The previous secret keeps signing until `previous_until`. */
export type WebhookEndpointSecretRotated = Readonly<{
  type: 'WebhookEndpointSecretRotated';
  data: Own & Readonly<{ secret_sealed: string; previous_until: string; rotated_at: string }>;
}>;

export type DisabledReason =
  /** The merchant asked for it. */
  | 'merchant'
  /** It responded with 410. */
  | 'gone'
  /** It returned nothing but failures for too long. */
  | 'failing';

export type WebhookEndpointDisabled = Readonly<{
  type: 'WebhookEndpointDisabled';
  data: Own & Readonly<{ reason: DisabledReason; disabled_at: string }>;
}>;

export type WebhookEndpointEnabled = Readonly<{
  type: 'WebhookEndpointEnabled';
  data: Own & Readonly<{ enabled_at: string }>;
}>;

/** Undelivered messages since the given time are to be sent again. */
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
