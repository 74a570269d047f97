import { SettlementWatcher } from '../src/capabilities/settlement/settlement-watcher';
import { Reactors } from '../src/platform/reacting/reactors';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { type Horizon, startHorizon } from './support/horizon';
import { createPayment, reportPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';

const HASH = 'e'.repeat(64);
const HOURS = 3_600_000;

describe('a settlement that was reported just before the service went down', () => {
  let dns: DnsResponder;
  let horizon: Horizon;
  let service: TestService;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const prepared = await startPaymentDns();
    dns = prepared.dns;
    horizon = await startHorizon();
    env = { ...prepared.env, ALLOW_PRIVATE_NETWORKS: 'true', SETTLEMENT_WITNESS: `stellar_testnet=${horizon.url}/` };
    service = await startTestService({ env });
    const scene = await setPaymentScene(service, dns);
    // As if the service was killed between the report and the reaction to it.
    await service.app.get(Reactors).stop();
    await service.app.get(SettlementWatcher).stop();
    const id = (await createPayment(service, scene)).body.payment_request.request_id as string;
    await reportPayment(service, scene, id, { status: 'signed' });
    await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash: HASH });
    await reportPayment(service, scene, id, { status: 'confirmed', transaction_hash: HASH });
    await service.stop();
  });
  afterAll(async () => {
    await service.stopAndForget();
    await horizon.stop();
    await dns.close();
  });

  it('is looked up when the service is back, even after more than an hour', async () => {
    const clock = { now: () => new Date(Date.now() + 5 * HOURS) };
    service = await startTestService({ env, dataDir: service.dataDir, clock });
    const looks = await eventually(
      async () => horizon.asked.filter((path) => path.includes(HASH)).length,
      (count) => count > 0,
      'a look',
    );
    expect(looks).toBeGreaterThan(0);
  });
});
