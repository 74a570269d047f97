import { type CallOptions, type KeyedOptions, path } from '../transport.ts';
import { type NextCursor, type Page } from '../types/common.ts';
import { type ApiKey } from '../types/merchant.ts';
import { type MerchantSession } from './session.ts';

/** Keys for the agent-payment API. */
export class MerchantApiKeys {
  constructor(private readonly session: MerchantSession) {}

  /** The secret is returned here, again to the same key for ten minutes, and never after. */
  create(input: Readonly<{ name?: string }> = {}, options?: KeyedOptions) {
    return this.session.make<Readonly<{ api_key: ApiKey; secret: string }>>('/v1/api-keys', input, options);
  }

  list(query: Page = {}, options?: CallOptions) {
    return this.session.get<NextCursor & Readonly<{ api_keys: readonly ApiKey[] }>>('/v1/api-keys', query, options);
  }

  async read(id: string, options?: CallOptions): Promise<ApiKey> {
    return (await this.session.get<{ api_key: ApiKey }>(path`/v1/api-keys/${id}`, {}, options)).api_key;
  }

  async revoke(id: string, options?: CallOptions): Promise<ApiKey> {
    return (await this.session.delete<{ api_key: ApiKey }>(path`/v1/api-keys/${id}`, options)).api_key;
  }
}
