import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { parseStreamName, streamName } from '../../platform/event-store/stream-name';
import { RecentlyUsed } from '../../kernel/recently-used';

/** Things that are a merchant's own: the first event of each names the merchant, or the connection of one of its agents. */
const OWNED: ReadonlySet<string> = new Set([
  'merchant',
  'session',
  'recipient',
  'agent',
  'assertion',
  'pairing_session',
  'connection',
  'transaction_context',
  'payment_request',
  'webhook_endpoint',
  'webhook_delivery',
  'api_key',
  'automation_policy',
  'agent_payment',
]);

const MOST_KNOWN = 50_000;

type Names = Readonly<{ merchant_id?: unknown; connection_id?: unknown }>;

/** Whose an event's stream is. Follows from the log before the event, so it is the same whenever it is asked. */
export class StreamOwners {
  private readonly known = new RecentlyUsed<string, string>(MOST_KNOWN);

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /** The merchant's id; undefined for what is nobody's or somebody else's. Most events say it themselves. */
  async of(event: RecordedEvent): Promise<string | undefined> {
    const { category } = parseStreamName(event.stream);
    if (!OWNED.has(category)) return undefined;
    const { merchant_id: merchantId, connection_id: connectionId } = event.data as Names;
    if (typeof merchantId === 'string') {
      if (category === 'connection') this.known.set(event.stream, merchantId);
      return merchantId;
    }
    const telling =
      typeof connectionId === 'string' && category !== 'connection'
        ? streamName('connection', connectionId)
        : event.stream;
    return this.ownerOfStream(telling);
  }

  private async ownerOfStream(stream: string): Promise<string | undefined> {
    const known = this.known.get(stream);
    if (known !== undefined) return known;
    const [first] = await this.store.readStream(stream);
    const { merchant_id: merchantId } = (first?.data ?? {}) as Names;
    if (typeof merchantId !== 'string') return undefined;
    this.known.set(stream, merchantId);
    return merchantId;
  }
}
