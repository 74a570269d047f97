import { Inject, Injectable } from '@nestjs/common';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { RecentlyUsed } from '../../kernel/recently-used';
import { type PaymentRequestCreated } from '../payment-requests/payment-request.events';
import { documentAfter, type SubjectDocument } from './webhook-messages';

type Followed = Readonly<{ document: SubjectDocument | undefined; version: number }>;

const SUBJECTS_KEPT = 2_000;
const CONNECTIONS_KEPT = 50_000;

/** What events are about, as it was after each of them: folded while following, and read again only where memory ends. */
@Injectable()
export class FollowedSubjects {
  private readonly subjects = new RecentlyUsed<string, Followed>(SUBJECTS_KEPT);
  /** Later events of a payment request name the connection only. */
  private readonly merchantOfConnection = new RecentlyUsed<string, string>(CONNECTIONS_KEPT);

  constructor(@Inject(EVENT_STORE) private readonly store: EventStore) {}

  async merchantOf(event: RecordedEvent): Promise<string> {
    const { merchant_id: named, connection_id } = event.data as { merchant_id?: string; connection_id: string };
    const known = this.merchantOfConnection.get(connection_id);
    const merchantId = named ?? known ?? (await this.merchantInStream(event));
    if (known === undefined) this.merchantOfConnection.set(connection_id, merchantId);
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
    this.subjects.set(stream, { document, version });
    return document;
  }

  private async merchantInStream({ stream }: RecordedEvent): Promise<string> {
    const [first] = await this.store.readStream(stream);
    return (first?.data as PaymentRequestCreated['data']).merchant_id;
  }
}
