import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { parseStreamName } from '../../platform/event-store/stream-name';
import { is } from './every-event';
import { streamsBehind } from './payment-streams';
import { asJson } from './present';
import { scan } from './scan';
import { EXIT, type ExitCode, type Surroundings, withLog } from './surroundings';
import { told } from './words';

type About = Readonly<{ recipient_version_id?: string; payment_id?: string; payee?: { domain: string } }>;
type Said = Readonly<{
  recipient_version_id?: string;
  superseded_version_id?: string | null;
  payment_id?: string;
  domain?: string;
}>;

/** The whole life of a payment in words, from why its payee was believed to what became of it. */
export function showTimeline(
  around: Surroundings,
  id: string,
  { deliveries }: Readonly<{ deliveries: boolean }>,
): Promise<ExitCode> {
  return withLog(around, async (store) => {
    const streams = await streamsBehind(store, id);
    const own = [...streams.values()].at(-1) ?? [];
    const subject = own.find(({ type }) => type.endsWith('Created')) ?? own[0];
    if (subject === undefined) {
      around.note(`there is no payment ${id}`);
      return EXIT.wrong;
    }
    const events = [...streams.values()].flat().filter((event) => concerns(event, subject));
    if (deliveries) events.push(...(await deliveriesOf(store, id)));
    events.sort((one, other) => (one.position < other.position ? -1 : 1));
    for (const event of events) around.out(around.json ? asJson(line(event)) : inLine(event));
    return EXIT.fine;
  });
}

const line = (event: RecordedEvent) => ({
  at: event.metadata.occurred_at,
  told: told(event),
  event_id: event.metadata.event_id,
  type: event.type,
  stream: event.stream,
  version: event.version,
  actor: event.metadata.actor,
});

const inLine = (event: RecordedEvent): string => {
  const { at, told: words, event_id, stream, version, type } = line(event);
  return `${at}  ${words}  [${type} ${event_id}, ${stream} ${version}]`;
};

/** Streams tell of more than one payment: of the others only what this one rests on. */
function concerns({ stream, type, data }: RecordedEvent, { data: about }: RecordedEvent): boolean {
  const { recipient_version_id, payment_id, payee } = about as About;
  const {
    recipient_version_id: version,
    payment_id: payment,
    superseded_version_id: superseded,
    domain,
  } = data as Said;
  switch (parseStreamName(stream).category) {
    case 'merchant':
      return domain === undefined || payee === undefined || domain === payee.domain;
    case 'recipient':
      return [undefined, recipient_version_id].includes(version) || superseded === recipient_version_id;
    case 'automation_policy':
      return type.startsWith('AutomationPolicy') || payment === payment_id;
    default:
      return true;
  }
}

async function deliveriesOf(store: EventStore, id: string): Promise<readonly RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  const wanted = new Set<string>();
  for await (const event of scan(store, { label: 'looking for deliveries' })) {
    if (is(event, 'WebhookDeliveryScheduled') && event.data.subject_id === id) wanted.add(event.stream);
    if (wanted.has(event.stream)) found.push(event);
  }
  return found;
}
