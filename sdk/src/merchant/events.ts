import { followStream, type StreamedEvent, type StreamOptions } from '../event-stream.ts';
import { type CallOptions } from '../transport.ts';
import { type MerchantEvent, type MerchantEventPage, type WebhookEventType } from '../types/webhook.ts';
import { type MerchantSession } from './session.ts';

type Poll = Readonly<{ since?: number; limit?: number; wait?: number; types?: readonly WebhookEventType[] }>;

/** Everything that webhooks tell, as one feed whose cursor counts 1, 2, 3 … */
export class MerchantEvents {
  constructor(private readonly session: MerchantSession) {}

  poll({ types, ...query }: Poll = {}, options?: CallOptions): Promise<MerchantEventPage> {
    const chosen = types === undefined ? {} : { types: types.join(',') };
    return this.session.get('/v1/events', { ...query, ...chosen }, options);
  }

  /** Where the feed ends now. */
  async newest(options?: CallOptions): Promise<number> {
    return (await this.poll({ since: 0, limit: 1 }, options)).newest_cursor;
  }

  /** As they come; keep the last cursor to go on from there. */
  follow(options: StreamOptions = {}): AsyncGenerator<StreamedEvent<MerchantEvent>> {
    return followStream((since, signal) => this.open(since, signal), options);
  }

  /** The bare stream after a cursor, for who follows it in an own way. */
  open(since: number, signal: AbortSignal): Promise<Response> {
    return this.session.open('/v1/events', { since }, signal);
  }
}
