import { type PaymentFacts } from '../../../sdk/src/types/payment.ts';

export type PaymentKind = 'request' | 'agent_payment';

/** Identifies a payment at the service: a request id is unique only within its merchant. */
export type PaymentPlace = Readonly<{ kind: PaymentKind; id: string; connectionId: string }>;

export type Outcome = Readonly<
  { kind: 'confirmed'; ledger?: number } | { kind: 'failed'; reason: string } | { kind: 'withdrawn'; reason: string }
>;

/** The progress of a payment that was signed here. Stored before it is reported or submitted. */
export type SignedPayment = PaymentPlace &
  Readonly<{
    key: string;
    facts: PaymentFacts;
    payee: string;
    account: string;
    sequence: string;
    /** The signed transaction; empty if another wallet paid. */
    xdr: string;
    /** The transaction's hash, or the one that the person entered. */
    hash: string;
    /** Seconds since 1970, as in the transaction. */
    validUntil: number;
    signedAt: string;
    /** Who submits it: this wallet, the person with what was signed here, the person in another way, or nobody. */
    way: 'network' | 'elsewhere' | 'told' | 'practice';
    /** How often it was submitted to the network's server; counted before each submission. */
    attempts: number;
    /** The newest status that the service has accepted. */
    reported?: 'signed' | 'broadcasted';
    outcome?: Outcome;
    /** Nothing is left to do: the service knows the outcome, or the payment was withdrawn. */
    done: boolean;
  }>;

export const paymentKey = ({ kind, id, connectionId }: PaymentPlace): string => `${kind} ${connectionId} ${id}`;

/** One transaction per payment, across all tabs: the second to add gets what the first one stored. */
export interface Outbox {
  add(payment: SignedPayment): Promise<SignedPayment>;
  read(key: string): Promise<SignedPayment | undefined>;
  list(): Promise<readonly SignedPayment[]>;
  /** Applies the change to the stored state, which another tab may have updated meanwhile. */
  change(key: string, change: Partial<SignedPayment>): Promise<SignedPayment>;
}
