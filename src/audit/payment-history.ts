import { type EventStore, type RecordedEvent } from '../platform/event-store/event-store.port';
import { streamName, streamOfOrigin } from '../platform/event-store/stream-name';
import { type Viewer } from './log/visibility';
import {
  type ConnectionId,
  type DomainId,
  type MerchantId,
  type OriginId,
  type RecipientId,
  type RecipientVersionId,
} from '../kernel/aggregates';

type Store = Pick<EventStore, 'readStream'>;
type EventFields = Readonly<Record<string, unknown>>;

const STATUS_CHANGES = ['ConnectionPaused', 'ConnectionResumed', 'ConnectionRevoked'];
/** How many status changes of the connection are shown at most for the time a request was open. */
export const MAX_STATUS_CHANGES = 20;
const PAGE_SIZE = 100;
const APPROVALS = ['ConnectInvitationApproved', 'PairingSessionApproved'];

/** A payment of either surface, and what it rests on. */
export type AuditedPayment = Readonly<{
  stream: string;
  connection_id: ConnectionId;
  merchant_id: MerchantId;
  recipient_id: RecipientId;
  recipient_version_id: RecipientVersionId;
}>;

/** The events shown to this viewer, in log order, and all of the request's own events, from the same read. */
export type PaymentHistory = Readonly<{ history: readonly RecordedEvent[]; own: readonly RecordedEvent[] }>;

/** Everything in the log about a payment that this viewer may see. */
export async function paymentHistory(store: Store, request: AuditedPayment, viewer: Viewer): Promise<PaymentHistory> {
  const own = await allOf(store, request.stream);
  const [agreed, behind] = await Promise.all([
    agreement(store, request, viewer, own),
    viewer.kind === 'merchant' ? recipientBehind(store, request) : [],
  ]);
  const history = [...behind, ...agreed, ...own].sort((one, other) => (one.position < other.position ? -1 : 1));
  return { history, own };
}

/**
 * The connection, the approval it came from, and its state while the request was open: a wallet may pause and resume it
 * as often as it likes. Anything else that the other side did is not shown.
 */
async function agreement(store: Store, request: AuditedPayment, { kind }: Viewer, own: readonly RecordedEvent[]) {
  const connection = streamName('connection', request.connection_id);
  const [created] = await store.readStream(connection, 0, 1);
  if (created === undefined || kind === 'agent') return created ? [created] : [];
  const statusChanges = await statusChangesWhileOpen(store, connection, own);
  const { origin_id: origin } = created.data as Readonly<{ origin_id: OriginId }>;
  const approvals = (await allOf(store, streamOfOrigin(origin))).filter(({ type }) => APPROVALS.includes(type));
  return [...approvals, created, ...statusChanges];
}

/** The status change in effect when the request was made, and the last few up to the request's own last event. */
async function statusChangesWhileOpen(store: Store, connection: string, own: readonly RecordedEvent[]) {
  const [from, to] = [own[0]?.position ?? 0n, own.at(-1)?.position ?? 0n];
  let before: RecordedEvent | undefined;
  let during: RecordedEvent[] = [];
  for await (const event of pageByPage(store, connection)) {
    if (event.position > to) break;
    if (!STATUS_CHANGES.includes(event.type)) continue;
    if (event.position < from) before = event;
    else during.push(event);
    if (during.length > 2 * MAX_STATUS_CHANGES) during = during.slice(-MAX_STATUS_CHANGES);
  }
  return [...(before === undefined ? [] : [before]), ...during.slice(-MAX_STATUS_CHANGES)];
}

async function allOf(store: Store, stream: string): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const event of pageByPage(store, stream)) events.push(event);
  return events;
}

/** A stream may be long, so other requests are served between pages. */
async function* pageByPage(store: Store, stream: string): AsyncGenerator<RecordedEvent> {
  for (let version = 0; ;) {
    const page = await store.readStream(stream, version, PAGE_SIZE);
    yield* page;
    if (page.length < PAGE_SIZE) return;
    version = page.at(-1)?.version ?? version;
    await new Promise(setImmediate);
  }
}

/** Why the payee was trusted: the pinned version, its evidence, and the domain proof behind that. */
async function recipientBehind(store: Store, request: AuditedPayment): Promise<readonly RecordedEvent[]> {
  const [recipient, merchant] = await Promise.all([
    allOf(store, streamName('recipient', request.recipient_id)),
    allOf(store, streamName('merchant', request.merchant_id)),
  ]);
  const version = recipient.filter(
    ({ type, data }) =>
      type === 'RecipientCreated' || (data as EventFields)['recipient_version_id'] === request.recipient_version_id,
  );
  const domains = new Set(
    version.flatMap(({ data }) => {
      const { proof } = data as Readonly<{ proof?: Readonly<{ domain_id: DomainId }> }>;
      return proof ? [proof.domain_id] : [];
    }),
  );
  const proofs = merchant.filter(
    ({ type, data }) =>
      type === 'MerchantDomainVerified' && domains.has((data as EventFields)['domain_id'] as DomainId),
  );
  return [...proofs, ...version];
}
