import { type PaymentRef, type SettlementClaimEvent } from '../../events/settlement-claim.events';
import { type MerchantId } from '../../kernel/aggregates';
import { type Decider } from '../../kernel/decider';
import { type SettlementBinding } from '../../kernel/settlement';

/** One arrival of an asset at an account. */
export type ClaimedTransfer = Readonly<{
  operation: number;
  transfer: number;
  to: string;
  asset: string;
  issuer: string | null;
}>;

/** A payment whose wallet named the transaction, by its outer or inner hash, whatever became of the payment. */
export type Claim = Readonly<{
  payment: PaymentRef;
  merchantId: MerchantId;
  /** What the payment's merchant calls it. */
  name: string;
  /** The place in the log of the first report that named the transaction: compares as text. */
  order: string;
  announced: boolean;
  binding: SettlementBinding;
  /** The transfers that agree with everything that was requested; none if anything differs. */
  agreeing: readonly ClaimedTransfer[];
}>;

export type SettlementClaimCommand = Readonly<{
  kind: 'judge';
  network: string;
  ledgerHash: string;
  /** Every claim there is. */
  claims: readonly Claim[];
  /** The version of the stream before the claims were collected. */
  seen: number;
  at: string;
}>;

type Holding = Readonly<{ transfer: ClaimedTransfer; payment: PaymentRef }>;

export type SettlementClaimState = Readonly<{
  version: number;
  /** By transfer. */
  holdings: ReadonlyMap<string, Holding>;
  /** The payments that a transfer went from or to after it had settled another one. */
  changedHands: ReadonlySet<string>;
}>;

/** A former leader collected its claims before others were judged; they are collected again. */
export class OutdatedClaims extends Error {}

const MAX_CACHED = 500;

/**
 * One transaction, and which payment each of its transfers settles. All that a transfer can settle is decided here, one
 * after another: so it settles one payment, over both surfaces and all tenants.
 */
export const settlementClaim: Decider<SettlementClaimState, SettlementClaimCommand, SettlementClaimEvent> = {
  category: 'settlement_claim',
  initial: { version: 0, holdings: new Map(), changedHands: new Set() },
  kept: MAX_CACHED,

  decide({ network, ledgerHash, claims, seen, at }, { version, holdings }) {
    const taken = [...assigned(claims)].filter(
      ([key, { claim }]) => paymentKey(holdings.get(key)?.payment) !== paymentKey(claim.payment),
    );
    if (taken.length > 0 && version !== seen) throw new OutdatedClaims('others were judged since');
    return taken.map(([, { transfer, claim }]) => ({
      type: 'SettlementTransferTaken',
      data: {
        network,
        ledger_hash: ledgerHash,
        ...transfer,
        payment: claim.payment,
        announced: claim.announced,
        binding: claim.binding,
        at,
      },
    }));
  },

  evolve({ version, holdings, changedHands }, { data }) {
    const { operation, transfer, to, asset, issuer, payment } = data;
    const taken: ClaimedTransfer = { operation, transfer, to, asset, issuer };
    const taker = paymentKey(payment);
    const before = holdings.get(transferKey(taken));
    // A payment holds one transfer of a transaction: whoever takes another one leaves the first.
    const others = [...holdings].filter(([, held]) => paymentKey(held.payment) !== taker);
    return {
      version: version + 1,
      holdings: new Map([...others, [transferKey(taken), { transfer: taken, payment }]]),
      changedHands: before === undefined ? changedHands : new Set([...changedHands, paymentKey(before.payment), taker]),
    };
  },
};

/** What becomes of one claim. */
export type ClaimRuling = Readonly<{
  claim: Claim;
  /** What settles the payment; null if it agrees with nothing, or others hold all that it agrees with. */
  transfer: ClaimedTransfer | null;
  /** Who holds what it agrees with, if that is why it has none. */
  holder: Claim | null;
  contested: boolean;
}>;

/** What the stream and the claims mean for each payment. */
export function rulingsOf(claims: readonly Claim[], state: SettlementClaimState): readonly ClaimRuling[] {
  const byPayment = new Map(claims.map((claim) => [paymentKey(claim.payment), claim]));
  const holderOf = (transfer: ClaimedTransfer): Claim | undefined =>
    byPayment.get(paymentKey(state.holdings.get(transferKey(transfer))?.payment));
  const contested = contestedAmong(claims);
  return claims.map((claim) => {
    const key = paymentKey(claim.payment);
    const transfer = claim.agreeing.find((one) => holderOf(one) === claim) ?? null;
    const holders = transfer === null ? claim.agreeing.flatMap((one) => holderOf(one) ?? []) : [];
    const holder = holders.find(({ merchantId }) => merchantId === claim.merchantId) ?? holders[0] ?? null;
    return { claim, transfer, holder, contested: contested.has(key) || state.changedHands.has(key) };
  });
}

export const paymentKey = (payment: PaymentRef | undefined): string =>
  payment === undefined ? '' : `${payment.kind} ${payment.id}`;

const transferKey = ({ operation, transfer, to, asset, issuer }: ClaimedTransfer): string =>
  JSON.stringify([operation, transfer, to, asset, issuer]);

/** Each claim takes the first transfer that agrees with it and is free, in the order of the claims. */
function assigned(claims: readonly Claim[]) {
  const found = new Map<string, Readonly<{ transfer: ClaimedTransfer; claim: Claim }>>();
  for (const claim of [...claims].sort(byPrecedence)) {
    const free = [...claim.agreeing].sort(byPlace).find((transfer) => !found.has(transferKey(transfer)));
    if (free !== undefined) found.set(transferKey(free), { transfer: free, claim });
  }
  return found;
}

/** A hash that was named before the ledger closed was not copied from it; nobody takes a transfer from such a claim. */
const tierOf = ({ announced, binding }: Claim): number => (announced ? 0 : binding === 'payer' ? 1 : 2);

const byPrecedence = (one: Claim, other: Claim): number =>
  tierOf(one) - tierOf(other) || (one.order < other.order ? -1 : 1);

const byPlace = (one: ClaimedTransfer, other: ClaimedTransfer): number =>
  one.operation - other.operation || one.transfer - other.transfer;

/**
 * The payments of which the service cannot tell for which one a transfer was meant. A report that differs in anything
 * contests nothing, and one that comes after the ledger closed does not hold up what was announced.
 */
function contestedAmong(claims: readonly Claim[]): ReadonlySet<string> {
  const agreeing = claims.filter((claim) => claim.agreeing.length > 0);
  const isTied = ({ announced, binding }: Claim): boolean => announced || binding === 'payer';
  const isGuess = ({ announced, binding }: Claim): boolean => announced && binding === 'none';
  const announced = agreeing.filter(isGuess);
  const payers = agreeing.filter(({ binding }) => binding === 'payer');
  const found = [
    ...tooManyOf(agreeing.filter((claim) => !isTied(claim))),
    ...rivalsAmong(announced, announced),
    ...rivalsAmong(announced, payers),
    ...rivalsAmong(payers, announced),
  ];
  return new Set(found.map(({ payment }) => paymentKey(payment)));
}

/** Those that agree with a transfer with which another one of `others` agrees, too. */
function rivalsAmong(claims: readonly Claim[], others: readonly Claim[]): readonly Claim[] {
  const agreeingWith = new Map<string, Set<Claim>>();
  for (const other of others) {
    for (const key of other.agreeing.map(transferKey)) {
      agreeingWith.set(key, (agreeingWith.get(key) ?? new Set()).add(other));
    }
  }
  return claims.filter((claim) =>
    claim.agreeing.some((transfer) => {
      const rivals = agreeingWith.get(transferKey(transfer));
      return rivals !== undefined && rivals.size > (rivals.has(claim) ? 1 : 0);
    }),
  );
}

/** More claims than transfers that they agree with. Equal requests agree with the same transfers. */
function tooManyOf(claims: readonly Claim[]): readonly Claim[] {
  const groups = new Map<string, Readonly<{ transfers: ReadonlySet<string>; claims: Claim[] }>>();
  for (const claim of claims) {
    const keys = claim.agreeing.map(transferKey).sort();
    const id = keys.join(' ');
    const group = groups.get(id) ?? { transfers: new Set(keys), claims: [] };
    group.claims.push(claim);
    groups.set(id, group);
  }
  const all = [...groups.values()];
  return all.flatMap(({ transfers }) => {
    // A request with a memo agrees with fewer transfers than one without.
    const within = all.filter((other) => [...other.transfers].every((key) => transfers.has(key)));
    const rivals = within.flatMap((group) => group.claims);
    return rivals.length > transfers.size ? rivals : [];
  });
}
