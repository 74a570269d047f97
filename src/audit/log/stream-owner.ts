import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { parseStreamName, streamOf } from '../../platform/event-store/stream-name';
import { RecentlyUsed } from '../../kernel/recently-used';
import { isOwnedByMerchant, type MerchantId } from '../../kernel/aggregates';

const MAX_CACHED = 50_000;

type OwnerFields = Readonly<{ merchant_id?: MerchantId; connection_id?: string }>;

/**
 * Which merchant an event's stream belongs to: the first event of a merchant's stream names the merchant, or a
 * connection of one of its agents. Derived from the log before the event, so the answer is always the same.
 */
export class StreamOwners {
  private readonly known = new RecentlyUsed<string, MerchantId>(MAX_CACHED);

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /** The merchant's id; undefined if the stream belongs to no merchant. Most events contain it themselves. */
  async of(event: RecordedEvent): Promise<MerchantId | undefined> {
    const { category } = parseStreamName(event.stream);
    if (!isOwnedByMerchant(category)) return undefined;
    const { merchant_id: merchantId, connection_id: connectionId } = event.data as OwnerFields;
    if (typeof merchantId === 'string') {
      if (category === 'connection') this.known.set(event.stream, merchantId);
      return merchantId;
    }
    const ownerStream =
      typeof connectionId === 'string' && category !== 'connection'
        ? streamOf('connection', connectionId)
        : event.stream;
    return this.ownerOfStream(ownerStream);
  }

  private async ownerOfStream(stream: string): Promise<MerchantId | undefined> {
    const known = this.known.get(stream);
    if (known !== undefined) return known;
    const [first] = await this.store.readStream(stream, 0, 1);
    const { merchant_id: merchantId } = (first?.data ?? {}) as OwnerFields;
    if (typeof merchantId !== 'string') return undefined;
    this.known.set(stream, merchantId);
    return merchantId;
  }
}
