import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { checkAmount, isAmount } from '../../../../kernel/amounts';
import { canonicalJson } from '../../../../kernel/canonical-json';
import { type DataOf, is } from '../../../../events';
import { type Creation, mayBeKnownTo, wasKnownTo } from '../clock';
import { endedProof } from './domains';
import { type Breach, type Invariant, type Log } from '../invariant';
import { type Category, idFor } from '../../../../kernel/aggregates';
import { parseStreamName } from '../../../../platform/event-store/stream-name';

type Created = RecordedEvent & Readonly<{ data: DataOf<'PaymentRequestCreated'> | DataOf<'AgentPaymentCreated'> }>;

const categories: readonly Category[] = ['payment_request', 'agent_payment'];

const creationsIn = (events: readonly RecordedEvent[]): readonly Created[] =>
  events.filter((event): event is Created => is(event, 'PaymentRequestCreated') || is(event, 'AgentPaymentCreated'));

/** Whether the version was in use then: from its activation to that of the next one, or its retirement. */
async function wasInUse(
  log: Log,
  recipient: readonly RecordedEvent[],
  versionId: string,
  creation: Creation,
): Promise<boolean> {
  const turns = recipient.filter(
    (event) =>
      is(event, 'RecipientVersionActivated') || (is(event, 'RecipientVersionRetired') && event.data.was_active),
  );
  for (const [index, activation] of turns.entries()) {
    if (!is(activation, 'RecipientVersionActivated') || activation.data.recipient_version_id !== versionId) continue;
    const next = turns[index + 1];
    const isReplaced = next !== undefined && (await wasKnownTo(log, next, creation));
    if (!isReplaced && (await mayBeKnownTo(log, activation, creation))) return true;
  }
  return false;
}

export const activeVersion: Invariant = {
  name: 'active-version',
  says: 'every payment had an active, verified recipient version when it was created',
  categories,
  async *breaches(events, log): AsyncGenerator<Breach> {
    for (const event of creationsIn(events)) {
      const { recipient_id, recipient_version_id: id, created_at, merchant_id } = event.data;
      const recipient = await log.stream('recipient', recipient_id);
      const [first] = recipient;
      if (!is(first, 'RecipientCreated') || first.data.merchant_id !== merchant_id) {
        yield { event, what: `recipient ${recipient_id} is not one of the merchant’s` };
        continue;
      }
      const verified = recipient.find(
        (one) => is(one, 'RecipientVersionVerified') && one.data.recipient_version_id === id,
      );
      if (verified === undefined) yield { event, what: `version ${id} was never verified` };
      if (!(await wasInUse(log, recipient, id, { event, at: created_at })))
        yield { event, what: `version ${id} was not active at ${created_at}` };
    }
  },
};

export const pinnedFacts: Invariant = {
  name: 'pinned-facts',
  says: 'a payment’s facts and payee are exactly those of its pinned version',
  categories,
  async *breaches(events, log): AsyncGenerator<Breach> {
    for (const event of creationsIn(events)) {
      const { recipient_id, recipient_version_id: id, facts, payee } = event.data;
      const recipient = await log.stream('recipient', recipient_id);
      const [first] = recipient;
      const added = recipient
        .filter((one) => is(one, 'RecipientVersionAdded'))
        .find(({ data }) => data.recipient_version_id === id);
      const verified = recipient
        .filter((one) => is(one, 'RecipientVersionVerified'))
        .find(({ data }) => data.recipient_version_id === id);
      if (added === undefined || canonicalJson(added.data.facts) !== canonicalJson(facts)) {
        yield { event, what: `its facts are not those of version ${id}` };
      }
      const name = is(first, 'RecipientCreated') ? first.data.name : undefined;
      if (payee.name !== name || payee.domain !== verified?.data.proof.domain) {
        yield { event, what: 'its payee is not the recipient and the domain behind it' };
      }
      const { merchant_id, created_at: at } = event.data;
      const domainId = verified?.data.proof.domain_id;
      const ended = domainId && (await endedProof(log, merchant_id, domainId, { event, at }));
      if (payee.verified && ended)
        yield { event, what: `its payee is called verified, and ${ended.type} was before it` };
    }
  },
};

export const exactAmounts: Invariant = {
  name: 'exact-amount',
  says: 'amounts are exact decimals that the asset can carry',
  categories: [...categories, 'automation_policy'],
  *breaches(events): Generator<Breach> {
    for (const event of events) {
      const { amount, facts } = event.data as Readonly<{ amount?: unknown; facts?: { decimals: number | null } }>;
      if (amount === undefined) continue;
      const decimals = facts?.decimals ?? null;
      const problem = decimals === null ? !isAmount(amount) : checkAmount(amount, decimals) !== undefined;
      if (problem) yield { event, what: `${JSON.stringify(amount)} is not an exact amount of this asset` };
    }
  },
};

/** Whether the stream is where the payment's key leads to; a request that its caller named is found from there. */
async function isWhereItsKeyLeads({ stream, data }: Created, log: Log): Promise<boolean> {
  const { idempotency_key: key, connection_id, merchant_id } = data;
  if (key === null) return true;
  const { id } = parseStreamName(stream);
  const place = idFor.requestOfKey(connection_id, key);
  if ('payment_id' in data) {
    if (id === idFor.paymentOfKey(merchant_id, key)) return true;
    // A connection's key is taken in the stream of the request that it would make otherwise.
    const taken = (await log.stream('payment_request', place)).find((one) => is(one, 'PaymentRequestKeyTaken'));
    return id === idFor.paymentOfConnectionKey(connection_id, key) && taken?.data.payment_id === id;
  }
  if (place === id) return true;
  const assigned = (await log.stream('payment_request', place)).find((one) => is(one, 'PaymentRequestKeyAssigned'));
  if (assigned?.data.request_id !== data.request_id) return false;
  if (id === data.request_id) return true;
  // In older logs the stream has the id that the caller chose: then the key leads there.
  const older = await log.stream('payment_request', data.request_id);
  return !older.some((one) => is(one, 'PaymentRequestCreated') && one.data.merchant_id === merchant_id);
}

export const onePaymentPerKey: Invariant = {
  name: 'one-payment-per-key',
  says: 'a key made one payment at most in its scope, a merchant or a connection: each is where its key leads to, and no request was created under a key that an agent payment holds, unless that payment was given up and never made',
  categories: ['agent_payment', 'payment_request'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    for (const event of creationsIn(events))
      if (!(await isWhereItsKeyLeads(event, log)))
        yield { event, what: `its key ${event.data.idempotency_key} leads elsewhere` };
    const taken = events.find((event) => is(event, 'PaymentRequestKeyTaken'));
    if (!is(taken, 'PaymentRequestKeyTaken')) return;
    const { payment_id: id } = taken.data;
    const made = events.find((event) => is(event, 'PaymentRequestCreated') || is(event, 'PaymentRequestKeyAssigned'));
    if (made === undefined) return;
    const payment = await log.stream('agent_payment', id);
    if (payment.some((event) => is(event, 'AgentPaymentCreated')))
      yield { event: made, what: `agent payment ${id} was made under the same key` };
    else if (!payment.some((event) => is(event, 'AgentPaymentForgone')))
      yield { event: made, what: `agent payment ${id} holds the key and was never given up` };
  },
};
