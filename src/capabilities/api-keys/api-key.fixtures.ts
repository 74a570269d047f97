import { type ApiKeyCommand } from './api-key';
import { type ApiKeyEvent } from '../../events/api-key.events';

const api_key_id = 'key_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const merchant_id = 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';

type Of<Kind extends ApiKeyCommand['kind']> = Extract<ApiKeyCommand, { kind: Kind }>;

export const create: Of<'create'> = {
  kind: 'create',
  apiKeyId: api_key_id,
  merchantId: merchant_id,
  name: 'Checkout server',
  prefix: 'svc_sk_AAAA',
  tokenHash: 'h1',
  at,
};
export const use: Of<'use'> = { kind: 'use', apiKeyId: api_key_id, at };
export const revoke: Of<'revoke'> = { kind: 'revoke', apiKeyId: api_key_id, merchantId: merchant_id, at };

export const created: ApiKeyEvent = {
  type: 'ApiKeyCreated',
  data: {
    api_key_id,
    merchant_id,
    name: 'Checkout server',
    prefix: 'svc_sk_AAAA',
    token_hash: 'h1',
    created_at: at,
  },
};
export const usedAt = (used_at: string): ApiKeyEvent => ({
  type: 'ApiKeyUsed',
  data: { api_key_id, merchant_id, used_at },
});
export const revoked: ApiKeyEvent = { type: 'ApiKeyRevoked', data: { api_key_id, merchant_id, revoked_at: at } };
