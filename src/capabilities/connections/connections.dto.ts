import { type ConnectionCaller } from '../../http/server/callers';
import { connectionSchema } from '../../access/connection-view';
import { type JsonSchema, list, named, object, oneOf, text } from '../../http/input/checks';
import { Field } from '../../http/input/field.decorator';

export class ChangeConnectionInput {
  @Field(oneOf(['active', 'paused'], 'paused stops every use of the connection until it is active again'))
  status!: 'active' | 'paused';
}

/** For calls that need nothing but the credential. */
export class NoInput {}

export const currentSchema: Readonly<Record<string, JsonSchema>> = {
  connection: connectionSchema,
  agent: named('AgentOfConnection', object({ agent_id: text({ max: 160 }), name: text({ max: 200 }) }).schema),
  merchant: named(
    'MerchantOfConnection',
    object({
      merchant_id: text({ max: 160 }),
      name: text({ max: 200 }),
      domain: text({ max: 253, description: 'Verified by the merchant' }),
    }).schema,
  ),
  scopes: list(text({ max: 100 }), 20).schema,
};

/** With the names the person agreed to. */
export const speaksFor = (caller: ConnectionCaller) => ({
  agent: { agent_id: caller.agentId, name: caller.agentName },
  merchant: { merchant_id: caller.merchantId, name: caller.merchantName, domain: caller.merchantDomain },
  scopes: caller.scopes,
});
