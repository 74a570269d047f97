import { EVENT_STORE, type EventStore } from '../../src/platform/event-store/event-store.port';
import { encodeEvent } from '../../src/platform/event-store/event-codec';
import { CommandRunner } from '../../src/platform/event-store/run-command';
import { derivedId, newId } from '../../src/kernel/ids';
import { newWebhookSecret, WebhookSecrets } from '../../src/capabilities/webhooks/signing';
import { type WebhookDeliveryEvent } from '../../src/events/webhook-delivery.events';
import { webhookEndpoint } from '../../src/capabilities/webhooks/webhook-endpoint';
import { type TestService } from './service';
import { breaksOnPurpose } from './verified-log';
import { type EndpointId } from '../../src/kernel/aggregates';

type HasApp = Pick<TestService, 'app'>;

export const MERCHANT = 'mer_of_deliveries';
const context = { requestId: 'test', actor: { kind: 'test', id: 'test' } };

/** An active endpoint, as if created and verified, but without a merchant that could sign in. */
export async function openEndpoint({ app }: HasApp, url: string): Promise<{ endpointId: EndpointId; secret: string }> {
  const commands = app.get(CommandRunner);
  const endpointId = newId('whe');
  const secret = newWebhookSecret();
  const own = { endpointId, merchantId: MERCHANT, url, at: new Date().toISOString() } as const;
  const secretSealed = app.get(WebhookSecrets).sealed(endpointId, secret);
  const create = { kind: 'create', ...own, events: null, description: null, secretSealed } as const;
  await commands.run(webhookEndpoint, endpointId, create, context);
  await commands.run(webhookEndpoint, endpointId, { kind: 'confirm', ...own, version: 1 }, context);
  return { endpointId, secret };
}

export async function deleteEndpoint({ app }: HasApp, endpointId: EndpointId): Promise<void> {
  const command = { kind: 'delete', endpointId, merchantId: MERCHANT, at: new Date().toISOString() } as const;
  await app.get(CommandRunner).run(webhookEndpoint, endpointId, command, context);
}

/** A delivery due now, as the fan-out writes it; each in its own lane, like events of different payment requests. */
export async function scheduleDelivery({ app }: HasApp, endpointId: EndpointId, body: string): Promise<string> {
  // There is neither such an event nor such a merchant.
  breaksOnPurpose('traceable-delivery');
  const event_id = newId('evt');
  const delivery_id = derivedId('whd', endpointId, event_id);
  const at = new Date().toISOString();
  const event: WebhookDeliveryEvent = {
    type: 'WebhookDeliveryScheduled',
    data: {
      delivery_id,
      endpoint_id: endpointId,
      merchant_id: MERCHANT,
      lane: `${endpointId}:${event_id}`,
      event_id,
      event_type: 'payment_request.created',
      subject_id: event_id,
      sequence: 1,
      body,
      due_at: at,
      scheduled_at: at,
    },
  };
  const store = app.get<EventStore>(EVENT_STORE);
  await store.append(`webhook_delivery-${delivery_id}`, 0, [encodeEvent(event, context, at)]);
  return delivery_id;
}

/** Schedules many deliveries, several at a time. */
export async function scheduleDeliveries(
  service: HasApp,
  count: number,
  endpointOf: (index: number) => EndpointId,
  bodyOf: (index: number) => string,
): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      ids[index] = await scheduleDelivery(service, endpointOf(index), bodyOf(index));
    }
  };
  await Promise.all(Array.from({ length: 200 }, worker));
  return ids;
}
