// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type SettlementBinding } from '../kernel/settlement';

/** A payment of either surface, by the id of its stream. */
export type PaymentRef = Readonly<{ kind: 'payment_request' | 'agent_payment'; id: string }>;

/**
 * One transfer within a transaction now settles this payment and no other: whoever held it before does not any more. The
 * payments that lose are not named, because they may be other merchants'.
 */
export type SettlementTransferTaken = Readonly<{
  type: 'SettlementTransferTaken';
  data: Readonly<{
    network: string;
    /** Always the outer hash. */
    ledger_hash: string;
    /** The operation's index, from 0. */
    operation: number;
    /** Counts from 0 the arrivals of this asset at this account within the operation. */
    transfer: number;
    to: string;
    asset: string;
    issuer: string | null;
    payment: PaymentRef;
    /** The wallet had reported the hash before the ledger with the transaction closed. */
    announced: boolean;
    binding: SettlementBinding;
    at: string;
  }>;
}>;

export type SettlementClaimEvent = SettlementTransferTaken;
