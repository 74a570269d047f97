// The only module besides `stellar-key.ts` that needs the Stellar library. It is loaded only for signing.
import {
  Account,
  Asset,
  FeeBumpTransaction,
  Keypair,
  Memo,
  Networks,
  Operation,
  type Transaction,
  TransactionBuilder,
} from '@stellar/stellar-base';
import { type PaymentFacts } from '../../../sdk/src/types/payment.ts';
import { stroopsIn } from './stroops.ts';

/** The highest fee offered, in stroops: 0.001 XLM. The network charges less when it is not busy. */
export const HIGHEST_FEE = 10_000;

export type PaymentPlan = Readonly<{
  facts: PaymentFacts;
  /** The account that pays. */
  source: string;
  /** The transaction's sequence number: one more than the account's. */
  sequence: string;
  /**
   * Seconds since 1970, long past and at random: everything else can be guessed by others, who could then compute the
   * hash and claim the payment for one of theirs.
   */
  validFrom: number;
  /** Seconds since 1970; no ledger that closes later includes the transaction. */
  validUntil: number;
}>;

export type SignedTransaction = Readonly<{ xdr: string; hash: string; sequence: string }>;

/** The transaction is not what the person approved. Nothing is signed. */
export class FactsDiffer extends Error {
  constructor(readonly differences: readonly string[]) {
    super(`the transaction is not the payment that was approved: ${differences.join(', ')}`);
    this.name = 'FactsDiffer';
  }
}

export const canSign = ({ network, rail }: PaymentFacts): boolean =>
  network === 'stellar_testnet' && rail.startsWith('stellar');

/** Builds the transaction, parses it again from its bytes, compares it with what was approved, and only then signs. */
export function signPayment(plan: PaymentPlan, seed: Uint8Array, build = buildPayment): SignedTransaction {
  if (!canSign(plan.facts)) throw new FactsDiffer(['network']);
  const key = Keypair.fromRawEd25519Seed(seed as Buffer);
  const built = TransactionBuilder.fromXDR(build(plan), Networks.TESTNET);
  assertIsPayment(built, { ...plan, source: key.publicKey() });
  if (key.publicKey() !== plan.source) throw new FactsDiffer(['source']);
  built.sign(key);
  const hash = built.hash();
  if (built.signatures.length !== 1 || !key.verify(hash, built.signatures[0]!.signature())) {
    throw new Error('the signature does not verify');
  }
  return { xdr: built.toXDR(), hash: hash.toString('hex'), sequence: plan.sequence };
}

/** Thirty random bits of seconds before the present, which reach back 34 years: no ledger closed before it. */
export function randomStart(nowSeconds: number): number {
  const [bits = 0] = crypto.getRandomValues(new Uint32Array(1));
  return nowSeconds - (bits >>> 2);
}

/** Unsigned, as base64 of its XDR. */
export function buildPayment({ facts, source, sequence, validFrom, validUntil }: PaymentPlan): string {
  const account = new Account(source, (BigInt(sequence) - 1n).toString());
  const timebounds = { minTime: validFrom, maxTime: validUntil };
  const builder = new TransactionBuilder(account, {
    fee: String(HIGHEST_FEE),
    networkPassphrase: Networks.TESTNET,
    timebounds,
  });
  builder.addOperation(
    Operation.payment({ destination: facts.to, asset: assetOf(facts), amount: plainAmount(facts.amount) }),
  );
  if (facts.memo) builder.addMemo(Memo.text(facts.memo));
  return builder.build().toXDR();
}

/** Compares fact by fact, so that the error can name the differences. */
export function assertIsPayment(transaction: Transaction | FeeBumpTransaction, plan: PaymentPlan): void {
  if (transaction instanceof FeeBumpTransaction) throw new FactsDiffer(['kind']);
  const { facts } = plan;
  const [operation, ...others] = transaction.operations;
  if (operation?.type !== 'payment' || others.length > 0) throw new FactsDiffer(['operations']);
  const same: Readonly<Record<string, boolean>> = {
    network: transaction.networkPassphrase === Networks.TESTNET.toString(),
    source: transaction.source === plan.source && operation.source === undefined,
    sequence: transaction.sequence === plan.sequence,
    destination: operation.destination === facts.to,
    asset: operation.asset.equals(assetOf(facts)),
    amount: stroops(operation.amount) === stroops(facts.amount),
    memo: memoText(transaction.memo) === (facts.memo ?? ''),
    fee: Number(transaction.fee) <= HIGHEST_FEE,
    'time bounds':
      transaction.timeBounds?.minTime === String(plan.validFrom) &&
      transaction.timeBounds.maxTime === String(plan.validUntil) &&
      plan.validUntil > 0,
  };
  const differences = Object.keys(same).filter((fact) => !same[fact]);
  if (differences.length > 0) throw new FactsDiffer(differences);
}

function assetOf({ asset, issuer }: PaymentFacts): Asset {
  if (issuer !== undefined) return new Asset(asset, issuer);
  if (asset !== 'XLM') throw new FactsDiffer(['issuer']);
  return Asset.native();
}

function memoText({ type, value }: Memo): string | undefined {
  if (type === 'none') return '';
  if (type !== 'text' || value === null) return undefined;
  return typeof value === 'string' ? value : new TextDecoder().decode(value);
}

function stroops(amount: string): bigint {
  const exact = stroopsIn(amount);
  if (exact === undefined) throw new FactsDiffer(['amount']);
  return exact;
}

function plainAmount(amount: string): string {
  const exact = stroops(amount);
  return `${exact / 10_000_000n}.${(exact % 10_000_000n).toString().padStart(7, '0')}`;
}
