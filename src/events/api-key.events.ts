// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type MaybeUnderKey } from '../kernel/made-under-key';
import { type ApiKeyId, type MerchantId } from '../kernel/aggregates';
export type ApiKeyCreated = Readonly<{
  type: 'ApiKeyCreated';
  data: MaybeUnderKey &
    Readonly<{
      api_key_id: ApiKeyId;
      merchant_id: MerchantId;
      name: string;
      /** The secret's first characters, which let its owner tell keys apart. They repeat the id and grant no access. */
      prefix: string;
      token_hash: string;
      created_at: string;
    }>;
}>;

/** Not every use: at most one per minute. */
export type ApiKeyUsed = Readonly<{
  type: 'ApiKeyUsed';
  data: Readonly<{ api_key_id: ApiKeyId; merchant_id: MerchantId; used_at: string }>;
}>;

export type ApiKeyRevoked = Readonly<{
  type: 'ApiKeyRevoked';
  data: Readonly<{ api_key_id: ApiKeyId; merchant_id: MerchantId; revoked_at: string }>;
}>;

export type ApiKeyEvent = ApiKeyCreated | ApiKeyUsed | ApiKeyRevoked;
