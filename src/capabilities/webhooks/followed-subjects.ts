import { Inject, Injectable } from '../../platform/injection';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { RecentlyUsed } from '../../kernel/recently-used';
import { roughSize } from '../../kernel/rough-size';
import { type PaymentRequestCreated } from '../../events/payment-request.events';
import { documentAfter, type SubjectDocument } from './webhook-messages';
import { type ConnectionId, type MerchantId } from '../../kernel/aggregates';

/** An event, and its subject's document as of that event. */
export type SubjectAtEvent = Readonly<{ event: RecordedEvent; document: SubjectDocument }>;

const MAX_CACHED_SUBJECTS = 2_000;
const MAX_CACHED_CONNECTIONS = 50_000;
const MAX_CACHED_EVENTS = 512;
/** Subjects and events hold what a caller sent, which may be a whole body; usually they take a kilobyte or two. */
const MAX_SUBJECT_BYTES = 32 * 1024 * 1024;
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** The subjects of events, as of each event: folded while following the log, and read again only when evicted. */
@Injectable()
export class FollowedSubjects {
  private readonly subjects = new RecentlyUsed<string, SubjectAtEvent>(MAX_CACHED_SUBJECTS, {
    bytes: MAX_SUBJECT_BYTES,
    of: roughSize,
  });
  /** Later events of a payment request name only the connection. */
  private readonly merchantOfConnection = new RecentlyUsed<string, MerchantId>(MAX_CACHED_CONNECTIONS);

  /** Recent events: an event about to be reported need not be read from the log again. */
  private readonly recent = new RecentlyUsed<string, RecordedEvent>(MAX_CACHED_EVENTS, {
    bytes: MAX_EVENT_BYTES,
    of: roughSize,
  });

  constructor(@Inject(EVENT_STORE) private readonly store: EventStore) {}

  async merchantOf(event: RecordedEvent): Promise<MerchantId> {
    const { merchant_id: named, connection_id } = event.data as {
      merchant_id?: MerchantId;
      connection_id: ConnectionId;
    };
    const known = this.merchantOfConnection.get(connection_id);
    const merchantId = named ?? known ?? (await this.merchantInStream(event));
    if (known === undefined) this.merchantOfConnection.set(connection_id, merchantId);
    return merchantId;
  }

  remember(event: RecordedEvent): void {
    this.recent.set(placeOf(event), event);
  }

  /** Depends only on the stream up to that version, so the result never changes. */
  async after(stream: string, version: number): Promise<SubjectAtEvent> {
    const known = this.subjects.get(stream);
    if (known?.event.version === version) return known;
    const before = known !== undefined && known.event.version < version ? known : undefined;
    const from = before?.event.version ?? 0;
    const recent = from === version - 1 ? this.recent.get(placeOf({ stream, version })) : undefined;
    const events = recent ? [recent] : await this.store.readStream(stream, from, version - from);
    const document = events.reduce(documentAfter, before?.document);
    const event = events.at(-1);
    if (event?.version !== version || document === undefined) throw new Error(`${stream} has no version ${version}`);
    const result = { event, document };
    // Do not replace a newer cached state with an older one.
    if (known === undefined || before !== undefined) this.subjects.set(stream, result);
    return result;
  }

  private async merchantInStream({ stream }: RecordedEvent): Promise<MerchantId> {
    const [first] = await this.store.readStream(stream, 0, 1);
    return (first?.data as PaymentRequestCreated['data']).merchant_id;
  }
}

const placeOf = ({ stream, version }: Pick<RecordedEvent, 'stream' | 'version'>): string => `${stream} ${version}`;
