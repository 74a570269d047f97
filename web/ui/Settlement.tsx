import { type PaymentFacts, type Settlement as Seen } from '../../sdk/src/types/payment.ts';
import { Address } from './Address.tsx';
import { Facts, Muted, Notice } from './Layout.tsx';
import { comparedFacts, VERDICTS } from './settlement-words.ts';
import { Status, type Tone } from './Status.tsx';
import { Table } from './Table.tsx';
import { Time } from './Time.tsx';

/** The verdict in a word; nothing if the service has not looked. */
export function Seal({ settlement, isContested }: Readonly<{ settlement: Seen | null; isContested: boolean }>) {
  if (settlement === null) return null;
  // What differs is worse news than that others claim it, too.
  if (isContested && settlement.verdict === 'matches') return <Status tone="bad">Contested</Status>;
  const { word, tone } = VERDICTS[settlement.verdict];
  return <Status tone={tone}>{word}</Status>;
}

type SettlementProps = Readonly<{
  settlement: Seen;
  facts: PaymentFacts;
  /** What the wallet reported. */
  ledger: number | undefined;
  /** What the reader should do about it. */
  advice: string;
}>;

const NOTICE: Readonly<Record<Tone, 'good' | 'bad' | 'warn'>> = {
  good: 'good',
  bad: 'bad',
  warn: 'warn',
  calm: 'warn',
  busy: 'warn',
};

/** What the service itself saw on the network, fact by fact next to what was asked for. */
export function Settlement({ settlement, facts, ledger, advice }: SettlementProps) {
  const { word, tone, meaning } = VERDICTS[settlement.verdict];
  const compared = comparedFacts(settlement, { facts, ledger });
  return (
    <>
      <Notice tone={NOTICE[tone]} title={word}>
        {meaning} {advice}
      </Notice>
      {compared.length > 0 && (
        <Table
          label="What was compared"
          rows={compared}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Fact', cell: ({ name }) => name, isShort: true },
            { title: 'Asked for', cell: ({ expected }) => <Value text={expected} /> },
            {
              title: 'On the network',
              cell: ({ found }) =>
                found === undefined ? (
                  <Status tone="good">The same</Status>
                ) : (
                  <>
                    <Status tone="bad">Not the same</Status>
                    <br />
                    <Value text={found} />
                  </>
                ),
            },
          ]}
        />
      )}
      <Facts
        facts={[
          ...(settlement.ledger === null ? [] : ([['Seen in ledger', String(settlement.ledger)]] as const)),
          ...(settlement.announced === null
            ? []
            : ([
                ['Named', settlement.announced ? 'Before the ledger closed' : 'After the ledger had closed'],
              ] as const)),
          ['Looked', <Time key="at" at={settlement.observed_at} />],
          [
            'Witness',
            <Muted key="witness">
              <code>{settlement.witness}</code>
            </Muted>,
          ],
        ]}
      />
    </>
  );
}

/** Account addresses in groups, to be compared by eye. */
const Value = ({ text }: Readonly<{ text: string }>) =>
  /^[A-Z2-7]{56}$/.test(text) ? <Address address={text} /> : <span>{text}</span>;
