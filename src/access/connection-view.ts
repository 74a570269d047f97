import { agents } from '../../projections/agents.projection';
import { type ConnectionDocument, connections } from '../../projections/connections.projection';
import { merchants } from '../../projections/merchants.projection';
import { CONNECTION_ENDS } from '../events/connection.events';
import { automationPolicies } from '../../projections/automation-policies.projection';
import { remainingOf } from '../kernel/policy-totals';
import { type Check, dateTime, integer, list, named, nullable, object, oneOf, text } from '../http/input/checks';
import { type Collection, type Document } from '../platform/read-model/projection';
import { type ReadModel } from '../platform/read-model/read-model.port';

const name = text({ max: 200 });
/** More than may be in use for one connection. */
const MAX_POLICIES = 200;

const connectionFields = {
  connection_id: text({ max: 160, example: 'con_01JZ5Y0W3X0000000000000000' }),
  status: oneOf(['active', 'paused', 'revoked'], 'revoked is final'),
  revoked_reason: nullable(
    oneOf(CONNECTION_ENDS, 'Why it ended; credential_revoked: the merchant revoked the agent’s key it was opened with'),
  ),
  agent_id: text({ max: 160 }),
  agent_name: name,
  merchant_id: text({ max: 160 }),
  merchant_name: name,
  merchant_domain: text({ max: 253, description: 'Verified by the merchant' }),
  agreed_names: object({ agent_name: name, merchant_name: name }),
  scopes: list(text({ max: 100 }), 20),
  created_at: dateTime(),
  updated_at: dateTime(),
  version: integer(1, Number.MAX_SAFE_INTEGER, 'How many events this connection has'),
};

export const connectionSchema = named('Connection', object(connectionFields, ['agreed_names']).schema);
/**
 * Connections as their wallet, merchant and agent see them: with the current names of merchant and agent, plus the
 * names that the person agreed to, if they differ.
 */
export async function connectionViews(readModel: ReadModel, documents: readonly ConnectionDocument[]) {
  const [agentNames, merchantNames] = await Promise.all([
    namesOf(readModel, agents, documents, ({ agent_id }) => agent_id),
    namesOf(readModel, merchants, documents, ({ merchant_id }) => merchant_id),
  ]);
  return documents.map(({ id, device_id: _, agent_name, merchant_name, ...rest }) => {
    const now = {
      agent_name: agentNames.get(rest.agent_id) ?? agent_name,
      merchant_name: merchantNames.get(rest.merchant_id) ?? merchant_name,
    };
    const isOther = now.agent_name !== agent_name || now.merchant_name !== merchant_name;
    const agreed = isOther ? { agreed_names: { agent_name, merchant_name } } : {};
    return { connection_id: id, ...rest, ...now, ...agreed };
  });
}

export type ConnectionView = Awaited<ReturnType<typeof connectionViews>>[number];

export async function connectionView(readModel: ReadModel, document: ConnectionDocument): Promise<ConnectionView> {
  const [view] = await connectionViews(readModel, [document]);
  return view as ConnectionView;
}

/** The connection that an approval created. */
export async function approvedConnection(readModel: ReadModel, id: string | null): Promise<ConnectionView> {
  const connection = id === null ? undefined : await readModel.get(connections, id);
  if (connection === undefined) throw new Error('what was approved has no connection');
  return connectionView(readModel, connection);
}

/** A page of a merchant's connections has one merchant and few agents. */
async function namesOf(
  readModel: ReadModel,
  collection: Collection<Document & Readonly<{ name: string }>>,
  documents: readonly ConnectionDocument[],
  idIn: (document: ConnectionDocument) => string,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(documents.map(idIn))];
  const found = await Promise.all(ids.map((id) => readModel.get(collection, id)));
  return new Map(found.flatMap((one) => (one === undefined ? [] : [[one.id, one.name]])));
}

export const connectionTokenSchema = text({
  max: 100,
  description: 'Shown once; the agent sends it as Authorization: Bearer',
  example: 'svc_ct_…',
}).schema;

const amount: Check = { problems: () => [], schema: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?$', example: '0' } };

/** The policies within which the agent of a connection may act alone, beside the connection itself. */
const activePolicy = object({
  id: text({ max: 160, example: 'pol_01JZ5Y0W3X0000000000000000' }),
  network: text({ max: 80 }),
  asset: text({ max: 80 }),
  reserved: amount,
  spent: amount,
  remaining: amount,
});

export const connectionPoliciesSchema = list(
  { ...activePolicy, schema: named('ActivePolicy', activePolicy.schema) },
  100,
).schema;

export async function connectionPolicies(readModel: ReadModel, { id, merchant_id }: ConnectionDocument) {
  const page = { limit: MAX_POLICIES, order: 'desc' } as const;
  const { documents } = await readModel.find(automationPolicies, 'in_use_of_connection', [id, merchant_id, true], page);
  const active = documents.filter(({ status }) => status === 'active');
  return active.map((policy) => ({
    id: policy.id,
    network: policy.network,
    asset: policy.asset,
    reserved: policy.reserved,
    spent: policy.spent,
    remaining: remainingOf(policy.cumulative_limit, policy),
  }));
}
