import { type EndpointId, type EndpointKeyId, type MerchantId } from '../../kernel/aggregates';
import { type Decider } from '../../kernel/decider';
import { assertSameIntent, type MadeUnderKey } from '../../kernel/made-under-key';
import { type WebhookEndpointKeyEvent } from '../../events/webhook-endpoint-key.events';

/** `instead`: the endpoint that the key was assigned to so far, whose place another call took. */
export type AssignEndpointKey = Readonly<{
  keyId: EndpointKeyId;
  merchantId: MerchantId;
  endpointId: EndpointId;
  instead: EndpointId | null;
  under: MadeUnderKey;
  at: string;
}>;

export type EndpointKeyState = (MadeUnderKey & Readonly<{ endpointId: EndpointId }>) | null;

/**
 * Which endpoint a call makes under its idempotency key. An endpoint's id follows from its place, so that the number of
 * endpoints stays bounded; this stream ties the key to it (docs/adr/0030).
 */
export const webhookEndpointKey: Decider<EndpointKeyState, AssignEndpointKey, WebhookEndpointKeyEvent> = {
  category: 'webhook_endpoint_key',
  initial: null,
  kept: 100,

  decide({ keyId: key_id, merchantId: merchant_id, endpointId: endpoint_id, instead, under, at }, state) {
    if (state !== null) assertSameIntent(state, under);
    if (state !== null && state.endpointId !== instead) return [];
    const { idempotency_key, intent_digest } = under;
    const data = { key_id, merchant_id, endpoint_id, idempotency_key, intent_digest, assigned_at: at };
    return [{ type: 'WebhookEndpointKeyAssigned', data }];
  },

  evolve(_state, { data: { endpoint_id: endpointId, idempotency_key, intent_digest } }) {
    return { endpointId, idempotency_key, intent_digest };
  },
};
