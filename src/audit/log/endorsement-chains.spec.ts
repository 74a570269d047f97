import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { EndorsementChains } from './endorsement-chains';

const recorded = (type: string, data: object): RecordedEvent => ({ type, data }) as unknown as RecordedEvent;

describe('the chain of endorsements to a key', () => {
  it('is not remembered as empty where the key was asked for before it was published', async () => {
    const log = new Map([['signing_key-old', [recorded('SigningKeyPublished', { key_id: 'old', public_key: 'p1' })]]]);
    const chains = new EndorsementChains({ readStream: async (stream) => log.get(stream) ?? [] });
    expect(await chains.to(['new'])).toEqual([]);
    log.set('signing_key-new', [
      recorded('SigningKeyPublished', { key_id: 'new', public_key: 'p2' }),
      recorded('SigningKeyEndorsed', { key_id: 'new', public_key: 'p2', by_key_id: 'old', signature: 's' }),
    ]);
    const link = { key_id: 'new', public_key: 'p2', by_key_id: 'old', by_public_key: 'p1', signature: 's' };
    expect(await chains.to(['old', 'new'])).toEqual([link]);
    log.clear();
    expect(await chains.to(['old', 'new'])).toEqual([link]);
  });
});
