/** `isText` is false for a memo type that recipients do not use; `shown` is what a person would read. */
export type SettledMemo = Readonly<{ isText: boolean; shown: string }>;

/** One arrival of an asset at an account within a transaction. */
export type SettledTransfer = Readonly<{
  /** The operation's index, from 0. */
  operation: number;
  /** Counts from 0 the arrivals of this asset at this destination within the operation; classic operations: 0. */
  transfer: number;
  /** The account the asset left; null where the answer does not say. A muxed address is its account. */
  from: string | null;
  destination: string;
  asset: string;
  issuer: string | null;
  amount: string;
  /** A contract's transfer has its memo with it. Undefined: the transaction's memo counts. */
  memo?: SettledMemo | null;
}>;

/** What the network says about a transaction that is in a ledger. */
export type SettledTransaction = Readonly<{
  /** The hash under which the ledger has it: that of the fee bump, where there is one. */
  ledgerHash: string;
  /** The hash of the transaction within a fee bump; null without one. */
  innerHash: string | null;
  successful: boolean;
  ledger: number;
  /** When the ledger closed: RFC 3339, whole seconds. */
  closedAt: string;
  memo: SettledMemo | null;
  /** The signed transaction, base64 XDR; null where the answer does not hold it. */
  envelope: string | null;
  transfers: readonly SettledTransfer[];
}>;

/** `unclear`: no response said anything about this transaction. A server may say when it wants to be asked again. */
export type Sighting = Readonly<
  | { kind: 'found'; transaction: SettledTransaction }
  | { kind: 'not_found' }
  | { kind: 'unclear'; reason: string; retryAfterMs?: number }
>;

/** Looks up transactions on one network. */
export interface SettlementWitness {
  /** The server's host, included in every finding; never its path or query, which may hold a key. */
  readonly name: string;
  look(transactionHash: string, signal: AbortSignal): Promise<Sighting>;
}

/** By network; a network without an entry has no witness. */
export type SettlementWitnesses = ReadonlyMap<string, SettlementWitness>;
export const SETTLEMENT_WITNESSES = Symbol('SettlementWitnesses');
