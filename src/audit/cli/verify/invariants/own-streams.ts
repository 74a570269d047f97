import { CATEGORIES, type Category, idFor, isCategory } from '../../../../kernel/aggregates';
import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { parseStreamName } from '../../../../platform/event-store/stream-name';
import { type EventOf, is } from '../../../../events';
import { categoryOfEvent } from '../../../../events/category-of-event';
import { type Breach, type Invariant } from '../invariant';

type Members = Readonly<Record<string, unknown>>;

/** The member of an event's data that is the id of its stream; null where the id is not in every event. */
const ID_MEMBER: Readonly<Record<Category, string | null>> = {
  merchant_account: 'account_id',
  email_link: 'link_id',
  grant: 'grant_id',
  session: 'session_id',
  merchant: 'merchant_id',
  domain_name: 'name_id',
  recipient: 'recipient_id',
  agent: 'agent_id',
  assertion: 'assertion_id',
  credential_key: 'key_id',
  wallet_device: 'device_id',
  connect_invitation: 'invitation_id',
  pairing_session: 'pairing_session_id',
  connection: 'connection_id',
  transaction_context: 'context_id',
  // See foreignRequest.
  payment_request: null,
  payment_intent: null,
  webhook_endpoint: 'endpoint_id',
  webhook_endpoint_key: 'key_id',
  webhook_outcomes: 'endpoint_id',
  webhook_delivery: 'delivery_id',
  webhook_rewind: 'rewind_id',
  api_key: 'api_key_id',
  automation_policy: 'policy_id',
  policy_slot: 'slot_id',
  agent_payment: 'payment_id',
  transparency_log: null,
  // See foreignId.
  settlement_claim: null,
  signing_key: 'key_id',
  service_secret: null,
};

/** Whose a stream is: once an event has named them, no later one names others. */
const PARTIES = ['merchant_id', 'connection_id', 'device_id'] as const;

/**
 * A refusal does not use up a merchant's key: what is tried next under it may be over another connection. The connections
 * of a device take turns in the place of one recipient and amount.
 */
function partiesOf(event: RecordedEvent): readonly string[] {
  if (is(event, 'AgentPaymentRefused')) return ['merchant_id'];
  const isPlace = is(event, 'PaymentIntentTaken') || is(event, 'PaymentIntentReleased');
  return isPlace ? ['merchant_id', 'device_id'] : PARTIES;
}

/**
 * Projections go by an event's type, invariants by the category of its stream: an event in a stream of another kind
 * would be shown to everyone and checked by nobody.
 */
export const ownStreams: Invariant = {
  name: 'own-streams',
  says: 'every event is in a stream of its kind, about what that stream is about, and of the same parties',
  categories: CATEGORIES,
  *breaches(events): Generator<Breach> {
    const { category, id } = parseStreamName(events[0]?.stream ?? '');
    const created = events.find((event) => is(event, 'PaymentRequestCreated'));
    const parties = new Map<string, unknown>();
    for (const event of events) {
      const data = event.data as Members;
      if (categoryOfEvent(event.type) !== category)
        yield { event, what: `${event.type} is not an event of the category ${category}` };
      const about = category === 'payment_request' ? foreignRequest(event, id, created) : foreignId(category, id, data);
      if (about !== undefined) yield { event, what: `it is about ${about}` };
      for (const name of partiesOf(event)) {
        const party = data[name] ?? undefined;
        if (party === undefined) continue;
        if ((parties.get(name) ?? party) !== party) yield { event, what: `its ${name} is not the one before it` };
        parties.set(name, parties.get(name) ?? party);
      }
    }
  },
};

/** What an event is about if that is not what its stream is about. */
function foreignId(category: string, id: string, data: Members): string | undefined {
  if (category === 'settlement_claim') {
    const about = idFor.settlementClaim(String(data['network']), String(data['ledger_hash']));
    return about === id ? undefined : about;
  }
  const name = isCategory(category) ? ID_MEMBER[category] : null;
  return name === null || data[name] === id ? undefined : String(data[name]);
}

/** The same for a request, whose stream is named by its id or, if the caller chose that, by what is derived from it. */
function foreignRequest(event: RecordedEvent, id: string, created: EventOf<'PaymentRequestCreated'> | undefined) {
  // These are about the key that leads to the stream, and may name a request elsewhere.
  if (is(event, 'PaymentRequestKeyAssigned') || is(event, 'PaymentRequestKeyTaken')) return undefined;
  const { request_id } = event.data as Readonly<{ request_id?: string }>;
  const isIts = created !== undefined && request_id === created.data.request_id;
  const isThere = request_id === id || (isIts && idFor.requestOfName(created.data.merchant_id, request_id) === id);
  return isIts && isThere ? undefined : String(request_id);
}
