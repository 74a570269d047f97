import { type PaymentFacts } from '../../../sdk/src/types/payment.ts';

export type PaymentKind = 'request' | 'agent_payment';

/** Which payment, for the service: a request's own name is unique within its merchant only. */
export type PaymentPlace = Readonly<{ kind: PaymentKind; id: string; connectionId: string }>;

export type Outcome = Readonly<
  { kind: 'confirmed'; ledger?: number } | { kind: 'failed'; reason: string } | { kind: 'withdrawn'; reason: string }
>;

/** Where a payment that was signed here stands. Kept before anything is told to anybody. */
export type SignedPayment = PaymentPlace &
  Readonly<{
    key: string;
    facts: PaymentFacts;
    payee: string;
    account: string;
    sequence: string;
    /** What was signed; nothing if another wallet paid. */
    xdr: string;
    /** Of that, or as the person gave it. */
    hash: string;
    /** Seconds since 1970, as in the transaction. */
    validUntil: number;
    signedAt: string;
    /** Who brings it to the network: this wallet, the person with what was signed here, the person in another way, or nobody. */
    way: 'network' | 'elsewhere' | 'told' | 'practice';
    /** How often it was handed to the network's server; counted before it happens. */
    attempts: number;
    /** The newest status that the service has taken. */
    reported?: 'signed' | 'broadcasted';
    outcome?: Outcome;
    /** The service knows the outcome: nothing is left to do. */
    done: boolean;
  }>;

export const paymentKey = ({ kind, id, connectionId }: PaymentPlace): string => `${kind} ${connectionId} ${id}`;

/** One transaction for each payment, whatever tabs are open: who comes second gets what the first one kept. */
export interface Outbox {
  add(payment: SignedPayment): Promise<SignedPayment>;
  read(key: string): Promise<SignedPayment | undefined>;
  list(): Promise<readonly SignedPayment[]>;
  /** Changes what is there; another tab may have moved it meanwhile. */
  change(key: string, change: Partial<SignedPayment>): Promise<SignedPayment>;
}
