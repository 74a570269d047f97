import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Keypair } from '@stellar/stellar-base';
import { addressOf } from '../web/wallet/keys/stellar-key.ts';
import { newWords } from '../web/wallet/keys/recovery-words.ts';
import { HIGHEST_FEE, type PaymentPlan, signPayment } from '../web/wallet/review/payment-transaction.ts';
import { hasPython, pythonPrograms } from './support/python';

const HOME = join(__dirname, '../.stellar-sdk');
const REQUIREMENTS = join(__dirname, 'stellar-sdk/requirements.txt');
const isRequired = process.env['REQUIRE_ENGINES'] === 'true';

type Case = PaymentPlan & Readonly<{ xdr: string; hash: string; fee: number }>;
type Verdict = Readonly<{ differences: readonly (readonly string[])[]; accounts: readonly (readonly string[])[] }>;

/** The verdict of an implementation that shares no code with the wallet. */
function judged(payments: readonly Case[], keys: readonly object[]): Verdict {
  const python = join(pythonPrograms(HOME, REQUIREMENTS), 'python');
  const input = JSON.stringify({ payments, keys });
  const { stdout, stderr, status } = spawnSync(python, [join(__dirname, 'stellar-sdk/check.py')], {
    input,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Verdict;
}

function signed(number: number): Case {
  const seed = new Uint8Array(32).fill(number + 1);
  const facts = {
    rail: 'stellar_xlm',
    network: 'stellar_testnet',
    asset: 'XLM',
    amount: ['0.0000001', '12.50', '922337203685.4775807', '1'][number % 4] ?? '1',
    to: Keypair.random().publicKey(),
    ...(number % 3 === 0 ? { memo: ['Order 17', 'é'.repeat(14), ' '][number % 2] ?? '' } : {}),
    ...(number % 5 === 0 ? { asset: number % 2 ? 'USDC' : 'LONGASSET12', issuer: Keypair.random().publicKey() } : {}),
  };
  const source = Keypair.fromRawEd25519Seed(Buffer.from(seed)).publicKey();
  const plan = {
    facts,
    source,
    sequence: String(2n ** 40n + BigInt(number)),
    validFrom: 1_200_000_000 + number,
    validUntil: 1_900_000_000 + number,
  };
  return { ...plan, ...signPayment(plan, seed), fee: HIGHEST_FEE };
}

const suite = hasPython() ? describe : undefined;

suite?.('what the wallet signs, read by another implementation', () => {
  const payments = Array.from({ length: 24 }, (_, number) => signed(number));
  const [one, two] = payments as [Case, Case];
  const wrong: readonly Case[] = [
    { ...one, facts: { ...one.facts, to: two.facts.to } },
    { ...one, xdr: two.xdr },
  ];
  const words = newWords();
  let verdict: Verdict;

  // In one call, because loading the other implementation takes longer than all of its answers.
  beforeAll(() => {
    verdict = judged([...payments, ...wrong], [{ words, indexes: [0, 1, 7] }]);
  }, 180_000);

  it('is exactly the approved payment, with a valid signature', () => {
    expect(verdict.differences.slice(0, payments.length)).toEqual(payments.map(() => []));
    expect(verdict.accounts).toEqual([[0, 1, 7].map((index) => addressOf(words, index))]);
  });

  it('is rejected if one of its facts differs', () => {
    const [moved, forged] = verdict.differences.slice(payments.length);
    expect(moved).toEqual(['destination', 'same as built here']);
    expect(forged).toEqual(expect.arrayContaining(['source', 'hash', 'signature']));
  });
});

if (!suite) {
  it('what the wallet signs, read by another implementation: no python3 on this machine', () => {
    expect(isRequired).toBe(false);
  });
}
