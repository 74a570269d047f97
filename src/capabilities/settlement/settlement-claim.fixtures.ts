import { type SettlementTransferTaken } from '../../events/settlement-claim.events';
import { type Claim, type ClaimedTransfer } from './settlement-claim';

export const LEDGER_HASH = 'ab'.repeat(32);
export const JUDGED_AT = '2030-01-01T00:00:09.000Z';

export const transferAt = (operation: number, transfer = 0, to = 'GA7Q'): ClaimedTransfer => ({
  operation,
  transfer,
  to,
  asset: 'XLM',
  issuer: null,
});

/** A claim by the payment `pr_<order>`, which agrees with the first transfer. */
export const claimAt = (order: number, more: Partial<Claim> = {}): Claim => ({
  payment: { kind: 'payment_request', id: `pr_${order}` },
  merchantId: 'mer_1',
  name: `pr_${order}`,
  order: String(order).padStart(6, '0'),
  announced: false,
  binding: 'none',
  agreeing: [transferAt(0)],
  ...more,
});

export const takenBy = (
  { payment, announced, binding }: Claim,
  transfer: ClaimedTransfer = transferAt(0),
): SettlementTransferTaken => ({
  type: 'SettlementTransferTaken',
  data: {
    network: 'stellar_testnet',
    ledger_hash: LEDGER_HASH,
    ...transfer,
    payment,
    announced,
    binding,
    at: JUDGED_AT,
  },
});

export const judging = (claims: readonly Claim[], seen = 0) =>
  ({ kind: 'judge', network: 'stellar_testnet', ledgerHash: LEDGER_HASH, claims, seen, at: JUDGED_AT }) as const;
