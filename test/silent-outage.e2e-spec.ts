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
  const lag = async (): Promise<number> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(/^svc_projection_lag_seconds (.*)$/m.exec(text)?.[1]);
  };

  it('shows in the metrics, without anyone asking the store, until it is back', async () => {
    await eventually(lag, (seconds) => seconds === 0, 'catching up');
    await engine.goDown();
    await eventually(lag, (seconds) => seconds > 0, 'a lag');
    await engine.comeUp();
    await eventually(lag, (seconds) => seconds === 0, 'catching up again');
  });
});
