import { type MerchantDocument } from '../../projections/merchants.projection';
import { dateTime, integer, named, object, oneOf, text } from '../http/input/checks';

export const organizationName = text({
  max: 120,
  description: 'The name that people know the organization by',
  example: 'Example Shop',
});

export const merchantSchema = named(
  'Merchant',
  object({
    merchant_id: text({ max: 160, example: 'mer_01JZ5Y0W3X0000000000000000' }),
    name: organizationName,
    status: oneOf(['pending', 'active'], 'pending until the first domain is verified'),
    version: integer(1, Number.MAX_SAFE_INTEGER, 'How many events this merchant has'),
    created_at: dateTime(),
  }).schema,
);

/** A merchant as its operators see it, in every response. */
export const merchantView = ({ id, name, status, version, created_at }: MerchantDocument) => ({
  merchant_id: id,
  name,
  status,
  version,
  created_at,
});
