import { type ProvenEvent, veil, canonical } from '../proofs';
import { asStored, type RecordedEvent } from '../../platform/event-store/event-store.port';

const SECRET = /_hash$|_sealed$/;
const WITHHELD = '(withheld)';

/** The event without hashes and sealed texts, which a reader of the log does not need. */
export function presentable(event: RecordedEvent): Required<ProvenEvent> {
  const { stream, version, type, data, metadata } = asStored(event);
  return veil({ stream, version, type, data, metadata }, (member) => !SECRET.test(member));
}

/** One JSON line. */
export const asJson = (value: unknown): string => canonical(value);

/** The event in human-readable form: when, what, by whom and why in one line, followed by its data. */
export function inWords(event: RecordedEvent): readonly string[] {
  const { data, veiled } = presentable(event);
  const { event_id, occurred_at, request_id, actor, causation_id } = event.metadata;
  const cause = causation_id === undefined ? '' : `, caused by ${causation_id}`;
  const withheld = Object.keys(veiled).map((place) => [place.split('/').at(-1) ?? '', WITHHELD]);
  const shown = { ...data, ...Object.fromEntries(withheld) } as Readonly<Record<string, unknown>>;
  return [
    `${event.version}  ${occurred_at}  ${event.type}  ${event_id}`,
    `   by ${actor.kind} ${actor.id} in call ${request_id}${cause}`,
    ...Object.entries(shown).map(([name, value]) => `   ${name}: ${typeof value === 'string' ? value : asJson(value)}`),
  ];
}
