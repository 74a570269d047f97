import { type ApiKeyDocument } from '../../../projections/api-keys.projection';
import { dateTime, type JsonSchema, named, object, oneOf, text } from '../../http/input/checks';
import { OptionalField } from '../../http/input/field.decorator';
import { KeyedInput } from '../../http/input/keyed-draft';

export const DEFAULT_NAME = 'API key';

export class CreateApiKeyInput extends KeyedInput {
  @OptionalField(
    text({ max: 120, description: `What the key is for; ${DEFAULT_NAME} if absent`, example: 'Checkout server' }),
  )
  name?: string;
}

const usedAt: JsonSchema = { type: ['string', 'null'], format: 'date-time', description: 'To the minute' };

export const apiKeySchema: JsonSchema = named(
  'ApiKey',
  object({
    api_key_id: text({ max: 160, example: 'key_01JZ5Y0W3X0000000000000000' }),
    name: text({ max: 120 }),
    prefix: text({ max: 40, description: 'How the secret begins' }),
    status: oneOf(['active', 'revoked'], 'revoked is final'),
    created_at: dateTime(),
    last_used_at: { problems: () => [], schema: usedAt },
  }).schema,
);

export const secretSchema: JsonSchema = text({
  max: 100,
  description: 'Shown once, and for ten minutes to the same call under its idempotency key; sent as x-svc-api-key',
  example: 'svc_sk_…',
}).schema;

export const apiKeyView = ({ id, name, prefix, status, created_at, last_used_at }: ApiKeyDocument) => ({
  api_key_id: id,
  name,
  prefix,
  status,
  created_at,
  last_used_at,
});
