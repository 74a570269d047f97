import { type TimelineEntry } from '../../../sdk/src/types/audit.ts';
import { type Tone } from '../../ui/Status.tsx';
import { type Moment, Timeline } from '../../ui/Timeline.tsx';
import { eventWords, PAYMENT } from '../shell/words.ts';

/** Who did what, when, with which credential. */
export function PaymentTimeline({
  entries,
  until,
}: Readonly<{ entries: readonly TimelineEntry[]; until: string | undefined }>) {
  const shown = until === undefined ? entries : entries.filter(({ occurred_at }) => occurred_at <= until);
  return <Timeline label="Timeline" moments={shown.map(momentOf)} />;
}

function momentOf(entry: TimelineEntry): Moment {
  const { event_id, type, occurred_at, actor } = entry;
  return {
    key: event_id,
    at: occurred_at,
    title: titleOf(type),
    tone: toneOf(type),
    children: (
      <>
        {actorWords(actor)}
        {detailsOf(entry).map(([name, text]) => (
          <div key={name}>
            {name}: <code>{text}</code>
          </div>
        ))}
      </>
    ),
  };
}

const ACTORS: Readonly<Record<string, string>> = {
  agent: 'Agent',
  wallet_device: 'Wallet',
  merchant_account: 'Operator',
  system: 'The service',
  service: 'The service',
  connection: 'Agent',
};

const actorWords = ({ kind, name }: TimelineEntry['actor']): string =>
  [ACTORS[kind] ?? eventWords(kind), name].filter(Boolean).join(' ');

/** `PaymentRequestConfirmed` and `payment_request.confirmed` read the same. */
const stepOf = (type: string): string => type.replace(/^PaymentRequest|^payment_request\./, '').toLowerCase();

const titleOf = (type: string): string => {
  const words = type
    .replace(/^PaymentRequest|^payment_request\./, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const toneOf = (type: string): Tone => (/refus|late/i.test(type) ? 'bad' : (PAYMENT[stepOf(type)]?.[1] ?? 'calm'));

/** What changed and on what evidence, as far as it is a word or a number. */
function detailsOf({
  event_id: _e,
  type: _t,
  occurred_at: _o,
  actor: _a,
  ...rest
}: TimelineEntry): readonly (readonly [string, string])[] {
  return Object.entries(rest).flatMap(([name, value]) => flat(eventWords(name), value));
}

function flat(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([inner, one]) => flat(eventWords(inner), one));
}
