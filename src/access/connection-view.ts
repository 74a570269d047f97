import { type ConnectionDocument } from '../../projections/connections.projection';
import { CONNECTION_ENDS } from '../events/connection.events';
import { dateTime, integer, list, named, nullable, object, oneOf, text } from '../http/input/checks';

const name = text({ max: 200 });

export const connectionSchema = named(
  'Connection',
  object({
    connection_id: text({ max: 160, example: 'con_01JZ5Y0W3X0000000000000000' }),
    status: oneOf(['active', 'paused', 'revoked'], 'revoked is final'),
    revoked_reason: nullable(
      oneOf(
        CONNECTION_ENDS,
        'Why it ended; credential_revoked: the merchant revoked the agent’s key it was opened with',
      ),
    ),
    agent_id: text({ max: 160 }),
    agent_name: name,
    merchant_id: text({ max: 160 }),
    merchant_name: name,
    merchant_domain: text({ max: 253, description: 'Verified by the merchant' }),
    scopes: list(text({ max: 100 }), 20),
    created_at: dateTime(),
    updated_at: dateTime(),
    version: integer(1, Number.MAX_SAFE_INTEGER, 'How many events this connection has'),
  }).schema,
);

/** A connection as its wallet and its agent see it, in whichever answer it appears. */
export const connectionView = ({ id, device_id: _, ...rest }: ConnectionDocument) => ({ connection_id: id, ...rest });

export const connectionTokenSchema = text({
  max: 100,
  description: 'Shown once; the agent sends it as Authorization: Bearer',
  example: 'svc_ct_…',
}).schema;
