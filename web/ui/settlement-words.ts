import { type PaymentFacts, type Settlement } from '../../sdk/src/types/payment.ts';
import { type Tone } from './Status.tsx';

type SettlementVerdict = Settlement['verdict'];
type Fact = Settlement['differences'][number]['fact'];

/** The seal's word, its colour, and the full explanation. */
export const VERDICTS: Readonly<Record<SettlementVerdict, Readonly<{ word: string; tone: Tone; meaning: string }>>> = {
  matches: {
    word: 'Matches',
    tone: 'good',
    meaning: 'The network has the transaction, and it pays exactly what was asked for.',
  },
  differs: {
    word: 'Differs',
    tone: 'bad',
    meaning: 'The network has the transaction, but it does not pay what was asked for.',
  },
  not_found: {
    word: 'Not found yet',
    tone: 'warn',
    meaning: 'The network does not know the transaction. The service keeps looking it up for an hour.',
  },
  pending: {
    word: 'Witness away',
    tone: 'warn',
    meaning: 'The network’s server gave no usable answer. The service keeps asking it for an hour.',
  },
};

const NAMES: Readonly<Record<Fact, string>> = {
  successful: 'Success',
  ledger: 'Ledger',
  destination: 'Destination',
  asset: 'Asset',
  issuer: 'Issuer',
  amount: 'Amount',
  memo: 'Memo',
  time: 'Time',
  already_settles: 'Settles already',
};

export type Compared = Readonly<{ name: string; expected: string; found: string | undefined }>;

type Asked = Readonly<{ facts: PaymentFacts; ledger: number | undefined }>;

/** Each compared fact, with what was found where it differs. Empty unless the service read a transaction. */
export function comparedFacts({ verdict, differences }: Settlement, { facts, ledger }: Asked): readonly Compared[] {
  if (verdict !== 'matches' && verdict !== 'differs') return [];
  const expected: Readonly<Partial<Record<Fact, string>>> = {
    successful: 'Successful',
    ...(ledger === undefined ? {} : { ledger: String(ledger) }),
    destination: facts.to,
    asset: facts.asset,
    ...(facts.issuer === undefined ? {} : { issuer: facts.issuer }),
    amount: facts.amount,
    ...(facts.memo === undefined ? {} : { memo: facts.memo }),
  };
  const differing = new Map(differences.map((one) => [one.fact, one]));
  return (Object.keys(NAMES) as Fact[])
    .filter((fact) => fact in expected || differing.has(fact))
    .map((fact) => {
      const difference = differing.get(fact);
      const asked = expected[fact] ?? (fact === 'time' ? 'After the request' : shown(fact, difference?.expected));
      return { name: NAMES[fact], expected: asked, found: difference && shown(fact, difference.found) };
    });
}

function shown(fact: Fact, value: string | number | boolean | null | undefined): string {
  if (fact === 'successful') return value === true ? 'Successful' : 'Failed';
  if (fact === 'already_settles' && value === null) return 'Another payment';
  return value === null || value === undefined || value === '' ? 'none' : String(value);
}
