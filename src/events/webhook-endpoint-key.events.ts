// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type EndpointId, type EndpointKeyId, type MerchantId } from '../kernel/aggregates';
import { type MadeUnderKey } from '../kernel/made-under-key';

/** Assigned again if another call took the endpoint's place first. */
export type WebhookEndpointKeyAssigned = Readonly<{
  type: 'WebhookEndpointKeyAssigned';
  data: MadeUnderKey &
    Readonly<{ key_id: EndpointKeyId; merchant_id: MerchantId; endpoint_id: EndpointId; assigned_at: string }>;
}>;

export type WebhookEndpointKeyEvent = WebhookEndpointKeyAssigned;
