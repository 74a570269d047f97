import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { merchants } from '../projections/merchants.projection';
import { readConfig } from '../src/platform/config';
import { openEventStore } from '../src/platform/event-store/open-event-store';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { derivedId, newId } from '../src/kernel/ids';
import { pause } from '../src/kernel/pause';
import { AccountIdentity } from '../src/capabilities/merchant-access/account-identity';
import { OpenOrganization } from '../src/capabilities/merchant-access/open-organization';
import { networkNames } from '../src/networks';
import { READ_MODEL, type ReadModel } from '../src/platform/read-model/read-model.port';
import { aNewEvent } from './support/events';
import { call } from './support/http';
import { grantFor, signIn } from './support/merchant';
import { startTestService, type TestService } from './support/service';

/** The process died between spending a grant and creating the organization it was spent on. */
describe('an interrupted sign-up', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'svc-recovery-'))));
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  const spent = (name: string, account_id = newId('mac')) => {
    const grant_id = newId('grt');
    const at = new Date().toISOString();
    const merchant_id = derivedId('mer', grant_id);
    return {
      merchant_id,
      stream: `grant-${grant_id}`,
      events: [
        aNewEvent('GrantIssued', {
          grant_id,
          account_id,
          merchant_id: null,
          token_hash: '',
          issued_at: at,
          expires_at: at,
        }),
        aNewEvent('GrantSpentOnMerchant', { grant_id, account_id, merchant_id, name, spent_at: at }),
      ],
    };
  };
  const creations = (service: TestService, merchantId: string): Promise<readonly RecordedEvent[]> =>
    service.app.get<EventStore>(EVENT_STORE).readStream(`merchant-${merchantId}`);
  const appears = async (service: TestService, id: string): Promise<{ name: string }> => {
    for (;;) {
      const merchant = await service.app.get<ReadModel>(READ_MODEL).get(merchants, id);
      if (merchant !== undefined) return merchant;
      await pause(5);
    }
  };

  it('is completed at the next start, once', async () => {
    const lost = Array.from({ length: 100 }, (_, index) => spent(`Shop ${index}`));
    const store = await openEventStore(readConfig({ DATA_DIR: dataDir }, networkNames));
    for (const { stream, events } of lost) await store.append(stream, 0, events);
    await store.close();

    for (let starts = 0; starts < 2; starts += 1) {
      const service = await startTestService({ dataDir });
      for (const { merchant_id } of lost) await appears(service, merchant_id);
      for (const [index, { merchant_id, events }] of lost.entries()) {
        const made = await creations(service, merchant_id);
        expect(made.map(({ type, data }) => [type, data])).toEqual([
          ['MerchantCreated', expect.objectContaining({ merchant_id, name: `Shop ${index}` })],
        ]);
        expect(made[0]?.metadata.causation_id).toBe(events[1]?.metadata.event_id);
      }
      await service.stop();
    }
  });

  it('is resumed when the person asks for a new mail', async () => {
    const first = await startTestService({ dataDir });
    const email = 'back@example.test';
    const { grant } = await grantFor(first, email);
    // From here on nothing can create the organization, but the grant is spent.
    jest.spyOn(first.app.get(OpenOrganization), 'after').mockRejectedValue(new Error('killed'));
    const cut = await call(`${first.url}/v1/merchants`, { body: { grant, name: 'Shop' } });
    expect(cut.status).toBe(500);
    const accountId = first.app.get(AccountIdentity).idOf(email);
    await first.stop();

    const second = await startTestService({ dataDir });
    const merchantId = await merchantOf(second, accountId);
    const back = await grantFor(second, email);
    expect(back.merchants.map(({ merchant_id, name }) => [merchant_id, name])).toEqual([[merchantId, 'Shop']]);
    expect((await signIn(second, email, { grant: back.grant })).merchantId).toBe(merchantId);
    expect(await creations(second, merchantId)).toHaveLength(1);
    await second.stop();
  });

  const merchantOf = async (service: TestService, accountId: string): Promise<string> => {
    for (;;) {
      const page = await service.app
        .get<ReadModel>(READ_MODEL)
        .find(merchants, 'by_account', [accountId], { limit: 1 });
      const [found] = page.documents;
      if (found !== undefined) return found.id;
      await pause(5);
    }
  };
});
