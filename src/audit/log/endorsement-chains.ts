import { type SigningKeyEndorsed } from '../../events/signing-key.events';
import { is } from '../../events';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { streamName } from '../../platform/event-store/stream-name';
import { type Endorsement } from '../proofs';

/** More rotations than any log will have. Keys that claim to succeed each other must not cause an endless loop. */
const MAX_CHAIN_LENGTH = 200;

export type Endorsing = SigningKeyEndorsed['data'];

/** What the log says about a key: the key itself, and which key endorsed it. */
type KeyRecord = Readonly<{ publicKey: string | undefined; endorsed: Endorsing | undefined }>;

/** From the first key of the log to this one, newest last; empty if there was no rotation. */
export async function chainTo(
  keyId: string,
  recordOf: (keyId: string) => Promise<KeyRecord>,
): Promise<readonly Endorsement[]> {
  const chain: Endorsement[] = [];
  let { endorsed } = await recordOf(keyId);
  while (endorsed !== undefined && chain.length < MAX_CHAIN_LENGTH) {
    const { key_id, public_key, by_key_id, signature } = endorsed;
    const before = await recordOf(by_key_id);
    if (before.publicKey === undefined) break;
    chain.unshift({ key_id, public_key, by_key_id, by_public_key: before.publicKey, signature });
    endorsed = before.endorsed;
  }
  return chain;
}

/** Chains from the event store. A key is published and endorsed in one append, so a chain can be cached forever. */
export class EndorsementChains {
  private readonly known = new Map<string, readonly Endorsement[]>();

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  async to(keyIds: readonly string[]): Promise<readonly Endorsement[]> {
    const chains = await Promise.all([...new Set(keyIds)].map((id) => this.chainTo(id)));
    return [...new Map(chains.flat().map((one) => [`${one.by_key_id} ${one.key_id}`, one])).values()];
  }

  private async chainTo(keyId: string): Promise<readonly Endorsement[]> {
    const known = this.known.get(keyId);
    if (known !== undefined) return known;
    const isPublished = (await this.recordOf(keyId)).publicKey !== undefined;
    const chain = await chainTo(keyId, (id) => this.recordOf(id));
    // An unpublished key may still be published and endorsed later, so do not cache that.
    if (isPublished) this.known.set(keyId, chain);
    return chain;
  }

  private async recordOf(keyId: string): Promise<KeyRecord> {
    const events = await this.store.readStream(streamName('signing_key', keyId), 0, 2);
    const published = events.find((event) => is(event, 'SigningKeyPublished'));
    const endorsed = events.find((event) => is(event, 'SigningKeyEndorsed'));
    return { publicKey: published?.data.public_key, endorsed: endorsed?.data };
  }
}
