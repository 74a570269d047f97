import {
  Account,
  Asset,
  type FeeBumpTransaction,
  Keypair,
  Memo,
  Networks,
  Operation,
  TransactionBuilder,
  type Transaction,
} from '@stellar/stellar-base';
import { type PaymentFacts } from '../../../sdk/src/types/payment.ts';
import {
  assertIsPayment,
  buildPayment,
  FactsDiffer,
  type PaymentPlan,
  randomStart,
  signPayment,
} from './payment-transaction.ts';

const seed = new Uint8Array(32).fill(7);
const key = Keypair.fromRawEd25519Seed(Buffer.from(seed));
const [shop, stranger, issuer] = [
  Keypair.random().publicKey(),
  Keypair.random().publicKey(),
  Keypair.random().publicKey(),
];
const facts: PaymentFacts = {
  rail: 'stellar_xlm',
  network: 'stellar_testnet',
  asset: 'XLM',
  amount: '12.50',
  to: shop,
};
const plan = (changed: Partial<PaymentFacts> = {}): PaymentPlan => ({
  facts: { ...facts, ...changed },
  source: key.publicKey(),
  sequence: '4294967297',
  validFrom: 1_200_000_017,
  validUntil: 1_900_000_000,
});
const read = (xdr: string) => TransactionBuilder.fromXDR(xdr, Networks.TESTNET) as Transaction;
const differences = (run: () => unknown): readonly string[] => {
  try {
    run();
    return [];
  } catch (error) {
    if (error instanceof FactsDiffer) return error.differences;
    throw error;
  }
};

describe('the transaction of a payment', () => {
  it.each<[string, Partial<PaymentFacts>]>([
    ['the network’s own asset', {}],
    ['an issued asset', { asset: 'USDC', issuer }],
    ['a memo', { memo: 'Order 17' }],
    ['a memo of 28 bytes', { memo: 'é'.repeat(14) }],
    ['the smallest amount', { amount: '0.0000001' }],
    ['the largest amount', { amount: '922337203685.4775807' }],
  ])('says exactly what was approved and is signed by the account: %s', (_name, changed) => {
    const wanted = plan(changed);
    const { xdr, hash, sequence } = signPayment(wanted, seed);
    const transaction = read(xdr);
    const [operation] = transaction.operations as [Operation.Payment];
    expect(operation).toMatchObject({ type: 'payment', destination: shop });
    expect(operation.asset.equals(changed.issuer ? new Asset('USDC', issuer) : Asset.native())).toBe(true);
    expect(Number(operation.amount)).toBe(Number(wanted.facts.amount));
    expect(transaction.memo.value?.toString() ?? '').toBe(changed.memo ?? '');
    expect([transaction.hash().toString('hex'), transaction.sequence]).toEqual([hash, sequence]);
    expect(key.verify(transaction.hash(), transaction.signatures[0]!.signature())).toBe(true);
    expect(transaction.timeBounds).toEqual({ minTime: '1200000017', maxTime: '1900000000' });
  });

  it('signs the same plan to the same hash, and one that begins at another time to another', () => {
    expect(signPayment(plan(), seed)).toEqual(signPayment(plan(), seed));
    expect(signPayment({ ...plan(), validFrom: 1_200_000_018 }, seed).hash).not.toBe(signPayment(plan(), seed).hash);
  });

  it('begins at a time that nobody can guess, in the past', () => {
    const now = 1_800_000_000;
    const starts = Array.from({ length: 1_000 }, () => randomStart(now));
    expect(new Set(starts).size).toBeGreaterThan(990);
    for (const start of starts) expect(start <= now && start > now - 2 ** 30).toBe(true);
    expect(Math.min(...starts)).toBeLessThan(now - 2 ** 29);
  });

  it.each<[string, Partial<PaymentFacts>, readonly string[]]>([
    ['another payee', { to: stranger }, ['destination']],
    ['another amount', { amount: '12.5000001' }, ['amount']],
    ['another asset', { asset: 'USDC', issuer }, ['asset']],
    ['a memo that is missing', { memo: 'Order 17' }, ['memo']],
  ])('is not taken for a payment that differs in one fact: %s', (_name, changed, expected) => {
    expect(differences(() => assertIsPayment(read(buildPayment(plan())), plan(changed)))).toEqual(expected);
  });

  it('is not taken with a second operation, another kind of operation, another network, fee, sequence or end', () => {
    const builder = (fee = '100', passphrase: string = Networks.TESTNET) =>
      new TransactionBuilder(new Account(key.publicKey(), '4294967296'), {
        fee,
        networkPassphrase: passphrase,
        timebounds: { minTime: 1_200_000_017, maxTime: 1_900_000_000 },
      });
    const payment = Operation.payment({ destination: shop, asset: Asset.native(), amount: '12.5' });
    const judge = (transaction: Transaction) => differences(() => assertIsPayment(transaction, plan()));
    expect(judge(builder().addOperation(payment).build())).toEqual([]);
    expect(judge(builder().addOperation(payment).addOperation(payment).build())).toEqual(['operations']);
    expect(
      judge(
        builder()
          .addOperation(Operation.accountMerge({ destination: shop }))
          .build(),
      ),
    ).toEqual(['operations']);
    expect(judge(builder('100', Networks.PUBLIC).addOperation(payment).build())).toEqual(['network']);
    expect(judge(builder('10001').addOperation(payment).build())).toEqual(['fee']);
    expect(judge(builder().addOperation(payment).addMemo(Memo.id('17')).build())).toEqual(['memo']);
    const later = { ...plan(), sequence: '4294967298', validUntil: 1_900_000_001 };
    expect(differences(() => assertIsPayment(builder().addOperation(payment).build(), later))).toEqual([
      'sequence',
      'time bounds',
    ]);
  });

  it('is not taken from another account, without an end, or inside another transaction', () => {
    const from = (source: string, maxTime = 1_900_000_000) =>
      new TransactionBuilder(new Account(source, '4294967296'), {
        fee: '100',
        networkPassphrase: Networks.TESTNET,
        timebounds: { minTime: 1_200_000_017, maxTime },
      });
    const payment = (more: object = {}) =>
      Operation.payment({ destination: shop, asset: Asset.native(), amount: '12.5', ...more });
    const judge = (transaction: Transaction | FeeBumpTransaction, change: Partial<PaymentPlan> = {}) =>
      differences(() => assertIsPayment(transaction, { ...plan(), ...change }));
    const own = from(key.publicKey()).addOperation(payment()).build();
    expect(judge(own)).toEqual([]);
    expect(judge(from(stranger).addOperation(payment()).build())).toEqual(['source']);
    expect(
      judge(
        from(key.publicKey())
          .addOperation(payment({ source: stranger }))
          .build(),
      ),
    ).toEqual(['source']);
    const endless = from(key.publicKey(), 0).addOperation(payment()).build();
    expect(judge(endless, { validUntil: 0 })).toEqual(['time bounds']);
    const wrapped = TransactionBuilder.buildFeeBumpTransaction(key, '200', own, Networks.TESTNET);
    expect(judge(wrapped)).toEqual(['kind']);
  });

  it.each<[string, Partial<PaymentFacts>, readonly string[]]>([
    ['of another network', { network: 'stellar_public' }, ['network']],
    ['of another rail', { network: 'stellar_testnet', rail: 'ethereum_eth' }, ['network']],
    ['of an issued asset without its issuer', { asset: 'USDC' }, ['issuer']],
    ['of no amount', { amount: '1e3' }, ['amount']],
  ])('is never signed for a payment %s', (_name, changed, expected) => {
    expect(differences(() => signPayment(plan(changed), seed))).toEqual(expected);
  });

  it('is never signed by another account than it pays from', () => {
    const wanted = { ...plan(), source: stranger };
    expect(differences(() => signPayment(wanted, seed))).toEqual(['source']);
  });

  it('is never signed if what was built is not what was approved, however that came about', () => {
    const wrong = (changed: Partial<PaymentFacts>) => () => buildPayment(plan(changed));
    expect(differences(() => signPayment(plan(), seed, wrong({ to: stranger })))).toEqual(['destination']);
    expect(differences(() => signPayment(plan(), seed, wrong({ amount: '125' })))).toEqual(['amount']);
    expect(differences(() => signPayment(plan({ memo: 'Order 17' }), seed, wrong({})))).toEqual(['memo']);
  });
});
