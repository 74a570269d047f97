import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type DisabledReason, type WebhookEndpointEvent } from '../src/events/webhook-endpoint.events';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type EndpointId, type MerchantId } from '../src/kernel/aggregates';

/** Without the secret and its sealed form. */
export type WebhookEndpointDocument = Readonly<{
  id: EndpointId;
  /** Null once it is deleted, so that no search finds it. */
  merchant_id: MerchantId | null;
  url: string;
  events: readonly string[] | null;
  description: string | null;
  status: 'pending' | 'active' | 'disabled' | 'deleted';
  disabled_reason: DisabledReason | null;
  verified_at: string | null;
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
  version: number;
}>;

export const webhookEndpoints = collection<WebhookEndpointDocument>('webhook_endpoints', {
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
});

export const webhookEndpointsProjection: Projection = {
  name: 'webhook-endpoints',
  version: 1,
  collections: [webhookEndpoints],
  project: (recorded) => steps(recorded as RecordedEvent & WebhookEndpointEvent),
};

function steps(event: RecordedEvent & WebhookEndpointEvent): readonly Step[] {
  switch (event.type) {
    case 'WebhookEndpointCreated': {
      const { endpoint_id: id, merchant_id, url, events, description, created_at } = event.data;
      const document: WebhookEndpointDocument = {
        id,
        merchant_id,
        url,
        events,
        description,
        status: 'pending',
        disabled_reason: null,
        verified_at: null,
        previous_secret_until: null,
        created_at,
        updated_at: created_at,
        version: event.version,
      };
      return [create(webhookEndpoints, document)];
    }
    case 'WebhookEndpointVerified': {
      const { verified_at } = event.data;
      return [touch(event, verified_at, { status: 'active', disabled_reason: null, verified_at })];
    }
    case 'WebhookEndpointChanged': {
      const { url, events, description, needs_verification, changed_at } = event.data;
      const unproven = { status: 'pending', disabled_reason: null, verified_at: null } as const;
      return [touch(event, changed_at, { url, events, description, ...(needs_verification ? unproven : {}) })];
    }
    case 'WebhookEndpointSecretRotated':
      return [touch(event, event.data.rotated_at, { previous_secret_until: event.data.previous_until })];
    case 'WebhookEndpointDisabled':
      return [touch(event, event.data.disabled_at, { status: 'disabled', disabled_reason: event.data.reason })];
    case 'WebhookEndpointEnabled':
      return [touch(event, event.data.enabled_at, { status: 'active', disabled_reason: null })];
    case 'WebhookEndpointRecoveryRequested':
      return [touch(event, event.data.requested_at, {})];
    case 'WebhookEndpointDeleted':
      return [touch(event, event.data.deleted_at, { status: 'deleted', merchant_id: null })];
    default:
      return notFollowed(event, ignored);
  }
}

const touch = (
  { data, version }: RecordedEvent & WebhookEndpointEvent,
  at: string,
  changes: Partial<WebhookEndpointDocument>,
): Step => change(webhookEndpoints, data.endpoint_id, (known) => ({ ...known, ...changes, updated_at: at, version }));
