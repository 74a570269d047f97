import { type TimelineEntry } from '../../../sdk/src/types/review.ts';
import { type Tone } from '../../ui/Status.tsx';
import { withTimes } from '../../ui/time-words.ts';
import { type Moment, Timeline } from '../../ui/Timeline.tsx';
import { PAYMENT } from '../shell/status-labels.ts';

type Props = Readonly<{ entries: readonly TimelineEntry[]; until: string | undefined }>;

/** Who did what, when, with which credential, on what evidence. */
export function PaymentTimeline({ entries, until }: Props) {
  const shown = until === undefined ? entries : entries.filter(({ occurred_at }) => occurred_at <= until);
  return <Timeline label="Timeline" moments={shown.map(momentOf)} />;
}

const ACTORS: Readonly<Record<string, string>> = {
  connection: 'Agent',
  wallet_device: 'Wallet',
  merchant_account: 'Operator',
  system: 'The service',
};

function momentOf(entry: TimelineEntry): Moment {
  const { event_id, occurred_at, actor, credential, summary } = entry;
  const kind = ACTORS[actor.kind] ?? wordsOf(actor.kind);
  const by = actor.name && actor.name !== kind ? `${kind} ${actor.name}` : kind;
  const facts = new Map([
    ['With', credential ? [wordsOf(credential.kind), credential.id].filter(Boolean).join(' ') : 'no credential'],
    ...flat(entry.data),
    ...flat(entry.evidence),
  ]);
  return {
    key: event_id,
    at: occurred_at,
    title: titleOf(entry),
    tone: toneOf(entry),
    children: (
      <>
        {summary !== undefined && <p>{withTimes(summary)}</p>}
        <details>
          <summary>By {by}</summary>
          <ul>
            {[...facts].map(([name, text]) => (
              <li key={name}>
                {name} <code>{withTimes(text)}</code>
              </li>
            ))}
          </ul>
        </details>
      </>
    ),
  };
}

/** The status it reached, or the event's name if the status did not change. */
function titleOf({ type, status, previous_status: before }: TimelineEntry): string {
  if (status === undefined || status === before) return wordsOf(type.replace(/^PaymentRequest|^payment_request\./, ''));
  return before ? (PAYMENT[status]?.[0] ?? wordsOf(status)) : 'Created';
}

/** `PaymentRequestLateReported`, `wallet_device` and `transaction_hash` as words. */
function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[._]/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function toneOf({ type, status, previous_status }: TimelineEntry): Tone {
  if (/refus|late/i.test(type)) return 'bad';
  if (status === undefined || status === previous_status) return 'calm';
  return PAYMENT[status]?.[1] ?? 'calm';
}

/** Every string and number in the value, however deeply nested. */
function flat(value: unknown, name = ''): readonly (readonly [string, string])[] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value === 'object') return Object.entries(value).flatMap(([inner, one]) => flat(one, inner));
  return typeof value === 'string' || typeof value === 'number' ? [[wordsOf(name), String(value)]] : [];
}
