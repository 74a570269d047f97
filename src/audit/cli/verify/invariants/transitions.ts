import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { type Breach, type Invariant, timeOf } from '../invariant';

/** From which statuses each status can be reached; the first status of a payment is called `waiting` here. */
const ALLOWED_FROM: Readonly<Record<string, readonly string[]>> = {
  signed: ['waiting'],
  rejected: ['waiting'],
  expired: ['waiting'],
  withdrawn: ['waiting'],
  broadcasted: ['signed'],
  confirmed: ['broadcasted'],
  failed: ['waiting', 'signed', 'broadcasted'],
};

/** Only of what has ended without a payment can a report come late. */
const ENDED_UNPAID = ['expired', 'failed', 'rejected', 'withdrawn'];

const WITHOUT_STATUS_CHANGE = [
  'keyassigned',
  'keytaken',
  'refused',
  'forgone',
  'settlementobserved',
  'settlementcheckrequested',
];

type Move = Readonly<{ previous_status?: string; transaction_hash?: string | null; at?: string; expires_at?: string }>;

const KINDS = [
  { category: 'payment_request', prefix: 'PaymentRequest', waiting: 'pending' },
  { category: 'agent_payment', prefix: 'AgentPayment', waiting: 'intent_created' },
] as const;

/** What a type of event does to a payment: creates it, moves it to a status, or neither. */
const stepOf = ({ type, stream }: RecordedEvent): string => {
  const kind = KINDS.find(({ category }) => stream.startsWith(`${category}-`));
  return type.slice(kind?.prefix.length ?? 0).toLowerCase();
};

export const transitions: Invariant = {
  name: 'transitions',
  says: 'every status change is in the table of transitions, and names the status before it',
  categories: KINDS.map(({ category }) => category),
  *breaches(events): Generator<Breach> {
    const waiting = KINDS.find(({ category }) => events[0]?.stream.startsWith(`${category}-`))?.waiting ?? '';
    let status: string | undefined;
    let hash: string | null | undefined;
    for (const event of events) {
      const step = stepOf(event);
      const { previous_status, transaction_hash } = event.data as Move;
      if (step === 'created') {
        status = 'waiting';
        continue;
      }
      if (WITHOUT_STATUS_CHANGE.includes(step)) continue;
      if (step === 'latereport') {
        if (!ENDED_UNPAID.includes(status ?? ''))
          yield { event, what: `a late report although it was ${status ?? 'not there'}` };
        continue;
      }
      if (status === undefined || !(ALLOWED_FROM[step] ?? []).includes(status)) {
        yield { event, what: `${step} cannot follow ${status ?? 'nothing'}` };
      }
      const said = previous_status === waiting ? 'waiting' : previous_status;
      if (said !== status)
        yield { event, what: `it says that it followed ${previous_status}, but it followed ${status}` };
      if (step === 'confirmed' && transaction_hash !== hash)
        yield { event, what: 'another transaction was broadcasted' };
      if (transaction_hash !== undefined) hash = transaction_hash;
      status = step;
    }
  },
};

export const expiry: Invariant = {
  name: 'expiry',
  says: 'nothing expires before its time, and nothing pending is signed after it',
  categories: KINDS.map(({ category }) => category),
  *breaches(events): Generator<Breach> {
    let until = Infinity;
    for (const event of events) {
      const step = stepOf(event);
      const { at = '', expires_at = '' } = event.data as Move;
      if (step === 'created') until = timeOf(expires_at);
      // Asked so that a time which is none, and is neither before nor after another, is found as well.
      if (step === 'expired' && !(timeOf(at) >= until)) yield { event, what: `it expired at ${at}, before its time` };
      if ((step === 'signed' || step === 'rejected' || step === 'withdrawn') && !(timeOf(at) < until)) {
        yield { event, what: `it was ${step} at ${at}, after it had expired` };
      }
    }
  },
};
