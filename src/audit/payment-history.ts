import { type PaymentRequestDocument } from '../../projections/payment-request-document';
import { type EventStore, type RecordedEvent } from '../platform/event-store/event-store.port';
import { streamName } from '../platform/event-store/stream-name';
import { type Viewer } from './log/visibility';

type Store = Pick<EventStore, 'readStream'>;
type Names = Readonly<Record<string, unknown>>;

const CONNECTION_MOVES = ['ConnectionPaused', 'ConnectionResumed', 'ConnectionRevoked'];
const APPROVALS = ['ConnectInvitationApproved', 'PairingSessionApproved'];

/** All that the log has on a payment request for this viewer, in the order of the log. */
export async function paymentHistory(
  store: Store,
  request: PaymentRequestDocument,
  viewer: Viewer,
): Promise<readonly RecordedEvent[]> {
  const [own, agreed, behind] = await Promise.all([
    store.readStream(streamName('payment_request', request.id)),
    agreement(store, request, viewer),
    viewer.kind === 'merchant' ? recipientBehind(store, request) : [],
  ]);
  // What came too late is told to who said it and to the merchant; the agent's own feed does not have it either.
  const told = viewer.kind === 'agent' ? own.filter(({ type }) => type !== 'PaymentRequestLateReport') : own;
  return [...behind, ...agreed, ...told].sort((one, other) => (one.position < other.position ? -1 : 1));
}

/** The connection, and the approval it came from. Who wants to know more of the other side's doing is not told. */
async function agreement(store: Store, request: PaymentRequestDocument, { kind }: Viewer) {
  const connection = await store.readStream(streamName('connection', request.connection_id));
  const [created] = connection;
  if (created === undefined || kind === 'agent') return created ? [created] : [];
  const moves = connection.filter(({ type }) => CONNECTION_MOVES.includes(type));
  const { origin_id: origin } = created.data as Readonly<{ origin_id: string }>;
  const category = origin.startsWith('prs_') ? 'pairing_session' : 'connect_invitation';
  const approvals = (await store.readStream(streamName(category, origin))).filter(({ type }) =>
    APPROVALS.includes(type),
  );
  return [...approvals, created, ...moves];
}

/** Why the payee was believed: the version that is pinned, its evidence, and the domain proof behind that. */
async function recipientBehind(store: Store, request: PaymentRequestDocument): Promise<readonly RecordedEvent[]> {
  const [recipient, merchant] = await Promise.all([
    store.readStream(streamName('recipient', request.recipient_id)),
    store.readStream(streamName('merchant', request.merchant_id)),
  ]);
  const version = recipient.filter(
    ({ type, data }) =>
      type === 'RecipientCreated' || (data as Names)['recipient_version_id'] === request.recipient_version_id,
  );
  const domains = new Set(
    version.flatMap(({ data }) => {
      const { proof } = data as Readonly<{ proof?: Readonly<{ domain_id: string }> }>;
      return proof ? [proof.domain_id] : [];
    }),
  );
  const proofs = merchant.filter(
    ({ type, data }) => type === 'MerchantDomainVerified' && domains.has((data as Names)['domain_id'] as string),
  );
  return [...proofs, ...version];
}
