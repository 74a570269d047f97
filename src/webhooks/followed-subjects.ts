import { Inject, Injectable } from '@nestjs/common';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../event-store/event-store.port';
import { type PaymentRequestCreated } from '../payment-requests/payment-request.events';
import { documentAfter, type SubjectDocument } from './webhook-messages';

type Followed = Readonly<{ document: SubjectDocument | undefined; version: number }>;

const SUBJECTS_KEPT = 2_000;
const CONNECTIONS_KEPT = 50_000;

/** What events are about, as it was after each of them: folded while following, and read again only where memory ends. */
@Injectable()
export class FollowedSubjects {
  private readonly subjects = new Map<string, Followed>();
  /** Later events of a payment request name the connection only. */
  private readonly merchantOfConnection = new Map<string, string>();

  constructor(@Inject(EVENT_STORE) private readonly store: EventStore) {}

  async merchantOf(event: RecordedEvent): Promise<string> {
    const { merchant_id: named, connection_id } = event.data as { merchant_id?: string; connection_id: string };
    const known = this.merchantOfConnection.get(connection_id);
    const merchantId = named ?? known ?? (await this.merchantInStream(event));
    if (known === undefined) keep(this.merchantOfConnection, connection_id, merchantId, CONNECTIONS_KEPT);
    return merchantId;
  }

  async documentAfter(event: RecordedEvent): Promise<SubjectDocument> {
    const { stream, version } = event;
    const known = this.subjects.get(stream);
    const before: Followed = known && known.version < version ? known : { document: undefined, version: 0 };
    const isNext = before.version === version - 1;
    const events = isNext ? [event] : await this.store.readStream(stream, before.version);
    const document = events.filter((one) => one.version <= version).reduce(documentAfter, before.document);
    if (document === undefined) throw new Error(`${event.type} of ${stream} tells of nothing`);
    this.subjects.delete(stream);
    keep(this.subjects, stream, { document, version }, SUBJECTS_KEPT);
    return document;
  }

  private async merchantInStream({ stream }: RecordedEvent): Promise<string> {
    const [first] = await this.store.readStream(stream);
    return (first?.data as PaymentRequestCreated['data']).merchant_id;
  }
}

/** The oldest goes when there are too many. */
function keep<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}
