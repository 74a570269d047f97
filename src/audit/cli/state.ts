import { agentPayments, agentPaymentsProjection } from '../../../projections/agent-payments.projection';
import { agents, agentsProjection } from '../../../projections/agents.projection';
import { apiKeys, apiKeysProjection } from '../../../projections/api-keys.projection';
import { automationPolicies, automationPoliciesProjection } from '../../../projections/automation-policies.projection';
import { connectInvitations, connectInvitationsProjection } from '../../../projections/connect-invitations.projection';
import { connections, connectionsProjection } from '../../../projections/connections.projection';
import { merchantDomains, merchants, merchantsProjection } from '../../../projections/merchants.projection';
import { pairingSessions, pairingSessionsProjection } from '../../../projections/pairing-sessions.projection';
import { paymentRequests, paymentRequestsProjection } from '../../../projections/payment-requests.projection';
import { type Collection, type Document, type Projection } from '../../platform/read-model/projection';
import { recipients, recipientsProjection } from '../../../projections/recipients.projection';
import {
  transactionContexts,
  transactionContextsProjection,
} from '../../../projections/transaction-contexts.projection';
import { walletDevices, walletDevicesProjection } from '../../../projections/wallet-devices.projection';
import { webhookDeliveries, webhookDeliveriesProjection } from '../../../projections/webhook-deliveries.projection';
import { webhookEndpoints, webhookEndpointsProjection } from '../../../projections/webhook-endpoints.projection';
import { webhookRewinds, webhookRewindsProjection } from '../../../projections/webhook-rewinds.projection';
import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { parseStreamName } from '../../platform/event-store/stream-name';
import { documentAfter, eventsAsOf } from '../../platform/read-model/history';
import { isLiving } from '../../platform/read-model/personal-key-store.port';
import { openPersonalKeyStore } from '../../platform/read-model/read-model.module';
import { is } from '../../events';
import { asJson, presentable } from './present';
import { scan } from './scan';
import { EXIT, type ExitCode, type AuditCall, withLog } from './audit-call';
import { resolveStream } from './resolve-stream';
import { type Category, isCategory } from '../../kernel/aggregates';

/** The projection and collection that show each kind of record. */
const RECORDS: Readonly<Record<Category, readonly [Projection, Collection<Document>] | null>> = {
  agent: [agentsProjection, agents],
  agent_payment: [agentPaymentsProjection, agentPayments],
  api_key: [apiKeysProjection, apiKeys],
  automation_policy: [automationPoliciesProjection, automationPolicies],
  connect_invitation: [connectInvitationsProjection, connectInvitations],
  connection: [connectionsProjection, connections],
  merchant: [merchantsProjection, merchants],
  pairing_session: [pairingSessionsProjection, pairingSessions],
  payment_request: [paymentRequestsProjection, paymentRequests],
  recipient: [recipientsProjection, recipients],
  transaction_context: [transactionContextsProjection, transactionContexts],
  wallet_device: [walletDevicesProjection, walletDevices],
  webhook_delivery: [webhookDeliveriesProjection, webhookDeliveries],
  webhook_endpoint: [webhookEndpointsProjection, webhookEndpoints],
  webhook_rewind: [webhookRewindsProjection, webhookRewinds],
  // These categories have no projection.
  assertion: null,
  credential_key: null,
  policy_slot: null,
  domain_name: null,
  webhook_endpoint_key: null,
  email_link: null,
  grant: null,
  merchant_account: null,
  payment_intent: null,
  service_secret: null,
  session: null,
  settlement_claim: null,
  signing_key: null,
  transparency_log: null,
  webhook_outcomes: null,
};

/** A record as of a point in time, folded from its stream alone. */
export function showState(call: AuditCall, name: string, asOf: string | undefined): Promise<ExitCode> {
  return withLog(call, async (store) => {
    const stream = await resolveStream(store, name);
    const own = await store.readStream(stream);
    const all = own.length === 0 ? await outcomesOf(store, stream) : own;
    const events = asOf === undefined ? all : eventsAsOf(all, asOf, (some) => stateAfter(stream, some));
    if (events.length === 0) {
      call.note(`there is no ${stream}${asOf === undefined ? '' : ` at ${asOf}`}`);
      return EXIT.wrong;
    }
    const state = { ...stateAfter(stream, events), ...(await addressOf(call, stream, events)) };
    if (call.json) call.out(asJson({ stream, version: events.length, state }));
    else call.out(`${stream} after ${events.length} event(s)\n${JSON.stringify(state, null, 2)}`);
    return EXIT.fine;
  });
}

/** A delivery that succeeded on its first attempt has no stream; its endpoint's outcomes record it. */
async function outcomesOf(store: EventStore, stream: string): Promise<readonly RecordedEvent[]> {
  const { category, id } = parseStreamName(stream);
  if (category !== 'webhook_delivery') return [];
  const found: RecordedEvent[] = [];
  for await (const event of scan(store, { label: 'looking for the delivery' })) {
    const isOfIt =
      (is(event, 'WebhookDeliveriesRecorded') && event.data.outcomes.some(({ delivery_id }) => delivery_id === id)) ||
      (is(event, 'WebhookDeliveriesCancelled') && event.data.delivery_ids.some((delivery_id) => delivery_id === id));
    if (isOfIt) found.push(event);
  }
  return found;
}

/** Whether a person's address can still be read, but never the address itself. */
async function addressOf({ config }: AuditCall, stream: string, events: readonly RecordedEvent[]): Promise<object> {
  const { category, id } = parseStreamName(stream);
  if (category !== 'merchant_account') return {};
  const keyStore = await openPersonalKeyStore(config);
  try {
    const kept = await keyStore.find(id);
    if (kept !== undefined && !isLiving(kept)) return { address: `erased at ${kept.destroyedAt}` };
    const last = events.at(-1);
    const isReadable =
      kept === undefined || (is(last, 'MerchantAccountAddressSealed') && last.data.key_id === kept.keyId);
    return { address: isReadable ? 'sealed' : 'erased' };
  } finally {
    await keyStore.close();
  }
}

export function stateAfter(stream: string, events: readonly RecordedEvent[]): object {
  const { category, id } = parseStreamName(stream);
  const [projection, collection] = (isCategory(category) ? RECORDS[category] : null) ?? [];
  const document = projection && collection && documentAfter(projection, collection, id, events);
  // Records without a projection are shown as the latest values in their events.
  if (document === undefined) return Object.assign({}, ...events.map((event) => presentable(event).data)) as object;
  return category === 'merchant' ? { ...document, domains: domainsAfter(events) } : document;
}

function domainsAfter(events: readonly RecordedEvent[]): readonly Document[] {
  const ids = events.flatMap(({ data }) => ('domain_id' in data && 'domain' in data ? [data.domain_id as string] : []));
  return [...new Set(ids)].flatMap((id) => documentAfter(merchantsProjection, merchantDomains, id, events) ?? []);
}
