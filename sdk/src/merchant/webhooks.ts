import { type CallOptions, type KeyedOptions, path } from '../transport.ts';
import { type NextCursor, type Page } from '../types/common.ts';
import {
  type NewWebhookEndpoint,
  type NewWebhookRewind,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookRewind,
  type WebhookTest,
} from '../types/webhook.ts';
import { type MerchantSession } from './session.ts';

type EndpointChange = Partial<NewWebhookEndpoint> & Readonly<{ version: number; status?: 'active' | 'disabled' }>;
type WithSecret = Readonly<{ webhook_endpoint: WebhookEndpoint; secret: string }>;
type Redelivered = WebhookDelivery & Readonly<{ waits_for: string | null }>;
type Recovery = Readonly<{ webhook_endpoint: WebhookEndpoint; count: number }>;
type Deliveries = NextCursor & Readonly<{ webhook_deliveries: readonly WebhookDelivery[] }>;

export class MerchantWebhooks {
  constructor(private readonly session: MerchantSession) {}

  /** The secret is shown here, again to the same key for ten minutes, and never after. Nothing is sent before `verify`. */
  create(input: NewWebhookEndpoint, options?: KeyedOptions): Promise<WithSecret> {
    return this.session.make('/v1/webhook-endpoints', input, options);
  }

  /** Sends a signed challenge that the receiver must echo. */
  verify(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#endpoint(this.session.post(path`/v1/webhook-endpoints/${id}/verify`, {}, options));
  }

  change(id: string, input: EndpointChange, options?: CallOptions): Promise<WebhookEndpoint> {
    return this.#endpoint(this.session.patch(path`/v1/webhook-endpoints/${id}`, input, options));
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.session.delete(path`/v1/webhook-endpoints/${id}`, options);
  }

  /** Returns a new secret; the old one keeps signing for a day, so that receivers can switch over. */
  rotateSecret(id: string, options?: CallOptions): Promise<WithSecret> {
    return this.session.post(path`/v1/webhook-endpoints/${id}/rotate-secret`, {}, options);
  }

  /** Sends undelivered messages since a given time again; `count` is the number of deliveries. */
  recover(id: string, since: string, options?: CallOptions): Promise<Recovery> {
    return this.session.post(path`/v1/webhook-endpoints/${id}/recover`, { since }, options);
  }

  /** Sends a signed test message and returns the response. */
  async test(id: string, options?: CallOptions): Promise<WebhookTest> {
    return (await this.session.post<{ test: WebhookTest }>(path`/v1/webhook-endpoints/${id}/test`, {}, options)).test;
  }

  /** Sends a range of the merchant's feed again: the same ids and bytes, in order. */
  rewind(id: string, input: NewWebhookRewind, options?: CallOptions): Promise<WebhookRewind> {
    return this.#rewind(this.session.post(path`/v1/webhook-endpoints/${id}/rewind`, input, options));
  }

  readRewind(id: string, rewindId: string, options?: CallOptions): Promise<WebhookRewind> {
    return this.#rewind(this.session.get(path`/v1/webhook-endpoints/${id}/rewinds/${rewindId}`, {}, options));
  }

  cancelRewind(id: string, rewindId: string, options?: CallOptions): Promise<WebhookRewind> {
    return this.#rewind(this.session.delete(path`/v1/webhook-endpoints/${id}/rewinds/${rewindId}`, options));
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

  /** `waits_for` names an earlier delivery that is sent first. */
  async redeliver(deliveryId: string, options?: CallOptions): Promise<Redelivered> {
    type Answer = Readonly<{ webhook_delivery: WebhookDelivery; waits_for: string | null }>;
    const place = path`/v1/webhook-deliveries/${deliveryId}/redeliver`;
    const { webhook_delivery, waits_for } = await this.session.post<Answer>(place, {}, options);
    return { ...webhook_delivery, waits_for };
  }

  async #rewind(answer: Promise<{ rewind: WebhookRewind }>): Promise<WebhookRewind> {
    return (await answer).rewind;
  }

  async #endpoint(answer: Promise<{ webhook_endpoint: WebhookEndpoint }>): Promise<WebhookEndpoint> {
    return (await answer).webhook_endpoint;
  }
}
