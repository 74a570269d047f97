/** One transfer within a transaction, as it arrived. */
export type SettledPayment = Readonly<{ destination: string; asset: string; issuer: string | null; amount: string }>;

/** `isText` is false for a memo type that recipients do not use; `shown` is what a person would read. */
export type SettledMemo = Readonly<{ isText: boolean; shown: string }>;

/** What the network says about a transaction that is in a ledger. */
export type SettledTransaction = Readonly<{
  successful: boolean;
  ledger: number;
  memo: SettledMemo | null;
  payments: readonly SettledPayment[];
}>;

/** `unclear`: no response said anything about this transaction. */
export type Sighting = Readonly<
  { kind: 'found'; transaction: SettledTransaction } | { kind: 'not_found' } | { kind: 'unclear'; reason: string }
>;

/** Looks up transactions on one network. */
export interface SettlementWitness {
  /** Included in every finding, so that a reader knows which server was queried. */
  readonly name: string;
  look(transactionHash: string, signal: AbortSignal): Promise<Sighting>;
}

/** By network; a network without an entry has no witness. */
export type SettlementWitnesses = ReadonlyMap<string, SettlementWitness>;
export const SETTLEMENT_WITNESSES = Symbol('SettlementWitnesses');
