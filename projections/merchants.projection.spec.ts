import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import {
  activated,
  created,
  givenUp,
  laterOn,
  registered,
  renamed,
  superseded,
  verified,
} from '../src/capabilities/merchants/merchant.fixtures';
import { type MerchantEvent } from '../src/events/merchant.events';
import { someMetadata } from '../test/support/events';
import { merchantsProjection } from './merchants.projection';
import { type Document } from '../src/platform/read-model/projection';

/** Plays events of one merchant's stream and gives the documents by collection and id. */
function played(...events: readonly MerchantEvent[]): Record<string, Document> {
  const documents: Record<string, Document> = {};
  events.forEach((event, index) => {
    const recorded: RecordedEvent = {
      ...event,
      metadata: someMetadata(),
      stream: 'merchant-1',
      version: index + 1,
      position: BigInt(index + 1),
    };
    for (const { collection, id, next } of merchantsProjection.project(recorded)) {
      const key = `${collection.name}/${id}`;
      documents[key] = next(documents[key]).document;
    }
  });
  return documents;
}

const merchantKey = 'merchants/mer_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const domainKey = 'merchant_domains/dom_1';

describe('the merchants projection', () => {
  it('shows a new merchant as pending', () => {
    expect(played(created)).toEqual({
      [merchantKey]: {
        id: 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ',
        account_id: 'mac_1',
        name: 'Shop',
        status: 'pending',
        created_at: '2030-01-01T00:00:00.000Z',
        updated_at: '2030-01-01T00:00:00.000Z',
        version: 1,
      },
    });
  });

  it('shows merchant and domain after the first proof, each with the stream’s version', () => {
    const documents = played(created, registered, verified, activated);
    expect(documents[merchantKey]).toMatchObject({ status: 'active', version: 4 });
    expect(documents[domainKey]).toEqual({
      id: 'dom_1',
      merchant_id: 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ',
      domain: 'shop.example.com',
      method: 'dns',
      status: 'verified',
      challenge: 'c1',
      challenge_expires_at: '2030-01-08T00:00:00.000Z',
      created_at: '2030-01-01T00:00:00.000Z',
      updated_at: verified.data.verified_at,
      verified_at: verified.data.verified_at,
      last_seen_at: verified.data.verified_at,
      superseded_at: null,
      given_up_at: null,
      look_at: '2030-01-14T23:59:59.999Z',
      due: true,
      version: 3,
    });
  });

  it('keeps one record for a domain that was registered again', () => {
    const data = { ...registered.data, challenge: 'c2', registered_at: '2030-02-01T00:00:00.000Z' };
    expect(played(created, registered, { ...registered, data })[domainKey]).toMatchObject({
      challenge: 'c2',
      created_at: '2030-01-01T00:00:00.000Z',
      updated_at: '2030-02-01T00:00:00.000Z',
      version: 3,
    });
  });

  it('no longer looks for a domain that was superseded or given up', () => {
    const lost = played(created, registered, verified, activated, superseded);
    expect(lost[domainKey]).toMatchObject({ status: 'superseded', superseded_at: laterOn, look_at: null, due: null });
    const left = played(created, registered, verified, activated, givenUp);
    expect(left[domainKey]).toMatchObject({ status: 'given_up', given_up_at: laterOn, look_at: null, due: null });
  });

  it('says that a domain was superseded until it is proven again', () => {
    const again = { ...registered.data, challenge: 'c2' };
    const lost = [created, registered, verified, activated, superseded] as const;
    expect(played(...lost, { ...registered, data: again })[domainKey]).toMatchObject({
      status: 'pending',
      superseded_at: laterOn,
    });
    expect(played(...lost, verified)[domainKey]).toMatchObject({ status: 'verified', superseded_at: null });
  });

  it('leaves other streams alone', () => {
    const event = { type: 'WalletDeviceRegistered', data: { device_id: 'dev_1' } } as unknown as MerchantEvent;
    expect(played(event)).toEqual({});
  });

  it('shows the new name of a renamed merchant', () => {
    expect(played(created, renamed)[merchantKey]).toMatchObject({ name: 'Shop & Sons', status: 'pending', version: 2 });
  });
});
