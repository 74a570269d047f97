import { notFollowed } from '../src/kernel/assert-never';
import { type AgentPaymentEvent } from '../src/events/agent-payment.events';
import { type PaymentRequestEvent } from '../src/events/payment-request.events';
import { type RecipientFacts } from '../src/events/recipient.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { agentPayments } from './agent-payments.projection';
import { inLatin } from '../src/kernel/look-alikes';
import { requestPlace } from './payment-request-document';
import { paymentRequests } from './payment-requests.projection';
import {
  collection,
  type Document,
  type Lookup,
  type Projection,
  type Step,
} from '../src/platform/read-model/projection';
import { type WalletDeviceId, type RecipientId } from '../src/kernel/aggregates';

/** What a device has paid to one recipient, in either kind of payment: what people should know before paying again. */
export type PayeeHistoryDocument = Readonly<{
  id: string;
  device_id: WalletDeviceId;
  recipient_id: RecipientId;
  /** As it looks, whatever its signs: see `lookOf`. */
  name: string;
  confirmed: number;
  last_confirmed_at: string;
  last_facts: RecipientFacts;
  /** The last amounts of each asset, newest last; assets in the order in which they were last paid. */
  amounts: readonly Readonly<{ asset: string; last: readonly string[] }>[];
}>;

export const payeeHistories = collection<PayeeHistoryDocument>('payee_histories', {
  by_name: { equals: ['device_id', 'name'], sort: 'last_confirmed_at' },
});

const MAX_AMOUNTS = 10;
/** A recipient has one asset, and gets another only with a new version. */
const MAX_ASSETS = 10;

export const payeeHistoryId = (deviceId: WalletDeviceId, recipientId: RecipientId): string =>
  `${deviceId}:${recipientId}`;

const MAX_NAME = 120;

/** What two names have in common that a person would take for one: letters and digits, as they look, in any case. */
export function lookOf(name: string): string {
  const signs = inLatin(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return (signs || name.trim()).slice(0, MAX_NAME);
}

/** Issuer and contract are part of an asset's identity. */
export const assetKey = ({ network, asset, contract, issuer }: RecipientFacts): string =>
  [network, asset, contract ?? '', issuer ?? ''].join(' ');

export const payeeHistoryProjection: Projection = {
  name: 'payee-history',
  version: 2,
  collections: [payeeHistories],
  project: () => [],
  lookups: (recorded) => confirmedIn(recorded as RecordedEvent & (PaymentRequestEvent | AgentPaymentEvent)),
};

/** Fixed when the payment was created. */
type Pinned = Document &
  Readonly<{
    device_id: WalletDeviceId;
    recipient_id: RecipientId;
    payee: Readonly<{ name: string }>;
    facts: RecipientFacts;
    amount: string;
  }>;

function confirmedIn(event: RecordedEvent & (PaymentRequestEvent | AgentPaymentEvent)): readonly Lookup[] {
  switch (event.type) {
    case 'PaymentRequestConfirmed':
      return [paid(paymentRequests, requestPlace(event).id, event.data.at)];
    case 'AgentPaymentConfirmed':
      return [paid(agentPayments, event.data.payment_id, event.data.at)];
    case 'PaymentRequestCreated':
    case 'PaymentRequestSigned':
    case 'PaymentRequestBroadcasted':
    case 'PaymentRequestFailed':
    case 'PaymentRequestRejected':
    case 'PaymentRequestExpired':
    case 'PaymentRequestWithdrawn':
    case 'PaymentRequestLateReport':
    case 'PaymentRequestKeyAssigned':
    case 'PaymentRequestKeyTaken':
    case 'PaymentRequestSettlementObserved':
    case 'PaymentRequestSettlementCheckRequested':
    case 'AgentPaymentCreated':
    case 'AgentPaymentRefused':
    case 'AgentPaymentForgone':
    case 'AgentPaymentSigned':
    case 'AgentPaymentBroadcasted':
    case 'AgentPaymentFailed':
    case 'AgentPaymentRejected':
    case 'AgentPaymentExpired':
    case 'AgentPaymentWithdrawn':
    case 'AgentPaymentLateReport':
    case 'AgentPaymentSettlementObserved':
    case 'AgentPaymentSettlementCheckRequested':
      return [];
    default:
      return notFollowed(event, []);
  }
}

const paid = (from: Lookup['collection'], id: string, at: string): Lookup => ({
  collection: from,
  id,
  then: (found) => [step(found as Pinned, at)],
});

const step = ({ device_id, recipient_id, payee, facts, amount }: Pinned, at: string): Step => {
  const id = payeeHistoryId(device_id, recipient_id);
  return {
    collection: payeeHistories,
    id,
    next: (current) => {
      const known = current as PayeeHistoryDocument | undefined;
      const document: PayeeHistoryDocument = {
        id,
        device_id,
        recipient_id,
        name: lookOf(payee.name),
        confirmed: (known?.confirmed ?? 0) + 1,
        last_confirmed_at: at,
        last_facts: facts,
        amounts: withAmount(known?.amounts ?? [], assetKey(facts), amount),
      };
      return { document };
    },
  };
};

type Amounts = PayeeHistoryDocument['amounts'];

function withAmount(amounts: Amounts, asset: string, amount: string): Amounts {
  const last = [...(amounts.find((one) => one.asset === asset)?.last ?? []), amount].slice(-MAX_AMOUNTS);
  return [...amounts.filter((one) => one.asset !== asset), { asset, last }].slice(-MAX_ASSETS);
}
