import { notFollowed } from '../src/kernel/assert-never';
import { type ApiKeyEvent } from '../src/events/api-key.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type ApiKeyId, type MerchantId } from '../src/kernel/aggregates';

export type ApiKeyDocument = Readonly<{
  id: ApiKeyId;
  merchant_id: MerchantId;
  name: string;
  prefix: string;
  status: 'active' | 'revoked';
  created_at: string;
  last_used_at: string | null;
}>;

export const apiKeys = collection<ApiKeyDocument>('api_keys', {
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
  by_merchant_and_status: { equals: ['merchant_id', 'status'], sort: 'created_at' },
});

export const apiKeysProjection: Projection = {
  name: 'api-keys',
  version: 2,
  collections: [apiKeys],
  project: (recorded) => steps(recorded as RecordedEvent & ApiKeyEvent),
};

function steps({ type, data }: RecordedEvent & ApiKeyEvent): readonly Step[] {
  switch (type) {
    case 'ApiKeyCreated': {
      const { api_key_id: id, token_hash: _hash, idempotency_key: _key, intent_digest: _intent, ...rest } = data;
      return [create(apiKeys, { id, ...rest, status: 'active', last_used_at: null })];
    }
    case 'ApiKeyUsed':
      return [change(apiKeys, data.api_key_id, (key) => ({ ...key, last_used_at: data.used_at }))];
    case 'ApiKeyRevoked':
      return [change(apiKeys, data.api_key_id, (key) => ({ ...key, status: 'revoked' as const }))];
    default:
      return notFollowed(type, ignored);
  }
}
