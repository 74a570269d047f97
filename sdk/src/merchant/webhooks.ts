import { type CallOptions, path } from '../transport.ts';
import { type NextCursor, type Page } from '../types/common.ts';
import { type NewWebhookEndpoint, type WebhookDelivery, type WebhookEndpoint } from '../types/webhook.ts';
import { type MerchantSession } from './session.ts';

type EndpointChange = Partial<NewWebhookEndpoint> & Readonly<{ version: number; status?: 'active' | 'disabled' }>;
/** What the receiver did with a test message. */
export type WebhookTest = Readonly<Record<string, unknown>>;
type WithSecret = Readonly<{ webhook_endpoint: WebhookEndpoint; secret: string }>;
type Deliveries = NextCursor & Readonly<{ webhook_deliveries: readonly WebhookDelivery[] }>;

export class MerchantWebhooks {
  constructor(private readonly session: MerchantSession) {}

  /** The secret is shown here and never again. Nothing is sent before `verify`. */
  create(input: NewWebhookEndpoint, options?: CallOptions): Promise<WithSecret> {
    return this.session.post('/v1/webhook-endpoints', input, options);
  }

  /** Sends a signed challenge which the receiver must repeat. */
  verify(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#endpoint(this.session.post(path`/v1/webhook-endpoints/${id}/verify`, {}, options));
  }

  change(id: string, input: EndpointChange, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#endpoint(this.session.patch(path`/v1/webhook-endpoints/${id}`, input, options));
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.session.delete(path`/v1/webhook-endpoints/${id}`, options);
  }

  /** A new secret; the old one signs along for a day, so that receivers can change over. */
  rotateSecret(id: string, options?: CallOptions): Promise<WithSecret> {
    return this.session.post(path`/v1/webhook-endpoints/${id}/rotate-secret`, {}, options);
  }

  /** Sends a signed message of the type `webhook.test`, and says what came of it. */
  test(id: string, options?: CallOptions): Promise<WebhookTest> {
    return this.session.post(path`/v1/webhook-endpoints/${id}/test`, {}, options);
  }

  /** Sends again what failed since a moment. */
  recover(id: string, since: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#endpoint(this.session.post(path`/v1/webhook-endpoints/${id}/recover`, { since }, options));
  }

  list(query: Page = {}, options?: CallOptions) {
    type Endpoints = NextCursor & Readonly<{ webhook_endpoints: readonly WebhookEndpoint[] }>;
    return this.session.get<Endpoints>('/v1/webhook-endpoints', query, options);
  }

  read(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#endpoint(this.session.get(path`/v1/webhook-endpoints/${id}`, {}, options));
  }

  listDeliveries(
    query: Page & Readonly<{ endpoint_id?: string; subject_id?: string; status?: WebhookDelivery['status'] }> = {},
    options?: CallOptions,
  ): Promise<Deliveries> {
    return this.session.get('/v1/webhook-deliveries', query, options);
  }

  async readDelivery(deliveryId: string, options?: CallOptions): Promise<WebhookDelivery> {
    const place = path`/v1/webhook-deliveries/${deliveryId}`;
    return (await this.session.get<{ webhook_delivery: WebhookDelivery }>(place, {}, options)).webhook_delivery;
  }

  async redeliver(deliveryId: string, options?: CallOptions): Promise<WebhookDelivery> {
    const place = path`/v1/webhook-deliveries/${deliveryId}/redeliver`;
    const { webhook_delivery } = await this.session.post<{ webhook_delivery: WebhookDelivery }>(place, {}, options);
    return webhook_delivery;
  }

  async #endpoint(answer: Promise<{ webhook_endpoint: WebhookEndpoint }>): Promise<WebhookEndpoint> {
    return (await answer).webhook_endpoint;
  }
}
