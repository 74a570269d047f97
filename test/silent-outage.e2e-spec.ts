import { startEventStoreDb, type TestEventStoreDb } from './support/eventstoredb/server';
import { eventually } from './support/eventually';
import { startTestService, type TestService } from './support/service';

describe('an event store that goes away while nobody calls', () => {
  let engine: TestEventStoreDb;
  let service: TestService;
  beforeAll(async () => {
    engine = await startEventStoreDb();
    const env = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: engine.url, READ_STORE: 'embedded' };
    service = await startTestService({ env: { ...env, SERVICE_SECRET: 's'.repeat(40) } });
  });
  afterAll(async () => {
    await engine.comeUp();
    await service.stopAndForget();
    await engine.stop();
  });
  const NAMES = ['svc_projection_lag_seconds', 'svc_reactor_lag_seconds', 'svc_transparency_lag_seconds'];
  const lags = async (): Promise<readonly number[]> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return NAMES.map((name) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]));
  };

  it('shows in the metrics, without anyone asking the store, until it is back', async () => {
    await eventually(lags, (all) => all.every((seconds) => seconds === 0), 'catching up');
    await engine.goDown();
    await eventually(lags, (all) => all.every((seconds) => seconds > 0), 'a lag');
    await engine.comeUp();
    await eventually(lags, (all) => all.every((seconds) => seconds === 0), 'catching up again');
  });
});
