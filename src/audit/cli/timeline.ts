import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { parseStreamName } from '../../platform/event-store/stream-name';
import { type DataOf, is } from '../../events';
import { streamsBehind } from './payment-streams';
import { asJson } from './present';
import { scan } from './scan';
import { EXIT, type ExitCode, type AuditCall, withLog } from './audit-call';
import { sentenceFor } from './event-sentences';
import { type MerchantId, type PaymentId, type RecipientVersionId } from '../../kernel/aggregates';

type About = Readonly<{
  merchant_id?: MerchantId;
  request_id?: string;
  recipient_version_id?: RecipientVersionId;
  payment_id?: PaymentId;
  payee?: { domain: string };
}>;
type Said = Readonly<{
  recipient_version_id?: RecipientVersionId;
  superseded_version_id?: RecipientVersionId | null;
  payment_id?: PaymentId;
  domain?: string;
}>;

/** The whole history of a payment in words, from why its payee was trusted to the outcome. */
export function showTimeline(
  call: AuditCall,
  id: string,
  { deliveries }: Readonly<{ deliveries: boolean }>,
): Promise<ExitCode> {
  return withLog(call, async (store) => {
    const streams = await streamsBehind(store, id);
    const own = [...streams.values()].at(-1) ?? [];
    const subject = own.find(({ type }) => type.endsWith('Created')) ?? own[0];
    if (subject === undefined) {
      call.note(`there is no payment ${id}`);
      return EXIT.wrong;
    }
    const events = [...streams.values()].flat().filter((event) => concerns(event, subject));
    if (deliveries) events.push(...(await deliveriesOf(store, subject)));
    events.sort((one, other) => (one.position < other.position ? -1 : 1));
    for (const event of events) call.out(call.json ? asJson(line(event)) : inLine(event));
    return EXIT.fine;
  });
}

const line = (event: RecordedEvent) => ({
  at: event.metadata.occurred_at,
  told: sentenceFor(event),
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

/** Shared streams cover other payments too: show only the events that this payment depends on. */
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

async function deliveriesOf(store: EventStore, { data, stream }: RecordedEvent): Promise<readonly RecordedEvent[]> {
  const { request_id, payment_id, merchant_id } = data as About;
  // A delivery names its subject by the request id that the merchant knows, or by the stream id.
  const subjects = [request_id ?? payment_id ?? '', parseStreamName(stream).id];
  const found: RecordedEvent[] = [];
  const wanted = new Set<string>();
  for await (const event of scan(store, { label: 'looking for deliveries' })) {
    const opens = is(event, 'WebhookDeliveryScheduled') || is(event, 'WebhookDeliveryOpened');
    if (opens && event.data.merchant_id === merchant_id && subjects.includes(event.data.subject_id)) {
      wanted.add(event.stream);
    }
    if (wanted.has(event.stream)) found.push(event);
    // One event records many deliveries; keep only those of this payment.
    if (!is(event, 'WebhookDeliveriesRecorded') || event.data.merchant_id !== merchant_id) continue;
    const own = outcomesOf(event.data, subjects);
    if (own.outcomes.length > 0) found.push({ ...event, data: own });
  }
  return found;
}

const outcomesOf = (data: DataOf<'WebhookDeliveriesRecorded'>, subjects: readonly string[]) => ({
  ...data,
  outcomes: data.outcomes.filter(({ subject_id }) => subjects.includes(subject_id)),
});
