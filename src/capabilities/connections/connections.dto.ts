import { type ConnectionCaller } from '../../http/server/callers';
import { connectionSchema } from '../../access/connection-view';
import { type JsonSchema, list, named, object, oneOf, text } from '../../http/input/checks';
import { Field } from '../../http/input/field.decorator';

export class ChangeConnectionInput {
  @Field(oneOf(['active', 'paused'], 'paused stops every use of the connection until it is active again'))
  status!: 'active' | 'paused';
}

/** For calls that need nothing but their credential. */
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

type PartyNames = Readonly<{ agent_name: string; merchant_name: string }>;

/** Whom the holder of the token acts for, by their current names. */
export const actsFor = (caller: ConnectionCaller, { agent_name, merchant_name }: PartyNames) => ({
  agent: { agent_id: caller.agentId, name: agent_name },
  merchant: { merchant_id: caller.merchantId, name: merchant_name, domain: caller.merchantDomain },
  scopes: caller.scopes,
});
