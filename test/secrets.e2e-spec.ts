import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { LOGGER } from '../src/platform/logging/logger';
import { Metrics } from '../src/http/operations/metrics';
import { type Device, registerDevice } from './support/devices';
import { aNewEvent, aStream } from './support/events';
import { call } from './support/http';
import { signUpPendingMerchant } from './support/merchant';
import { outboxOf } from './support/outbox';
import { IssuedSecrets, issuedSecrets, throwOnLeaks } from './support/secrets/issued-secrets';
import { startTestService, type TestService } from './support/service';
import { columnsOf } from './walls/credentials';
import { buildWorld } from './walls/world';

/** Every test service is searched for leaked secrets when it stops. Planted leaks show that this search can fail. */
describe('the search for secrets', () => {
  let service: TestService;
  let device: Device;

  beforeEach(async () => {
    service = await startTestService();
    device = await registerDevice(service);
  });

  const said = async (): Promise<string> => {
    const error: unknown = await service.stopAndForget().then(
      () => new Error('nothing was found'),
      (reason: unknown) => reason,
    );
    return (error as Error).message;
  };

  it('finds nothing if nothing was planted', async () => {
    await signUpPendingMerchant(service);
    expect(await said()).toBe('nothing was found');
  });

  it('finds one in an event, and reports its kind and place, but not the secret', async () => {
    const stream = aStream('planted');
    await service.app.get<EventStore>(EVENT_STORE).append(stream, 0, [aNewEvent('Planted', { note: device.token })]);
    const message = await said();
    expect(message).toBe('secrets where none belong: device token in an event Planted');
    expect(message).not.toContain(device.token.slice(-12));
  });

  it('finds one in the log, even without its first half', async () => {
    service.app.get<{ warn(text: string): void }>(LOGGER).warn(`lost …${device.token.slice(-24)}!`);
    expect(await said()).toBe('secrets where none belong: device token in the log');
  });

  it('finds one in the metrics', async () => {
    service.app.get(Metrics).rateLimited.inc({ limit: device.token });
    expect(await said()).toBe('secrets where none belong: device token in the metrics');
  });

  it('finds one in a mail it does not belong to', async () => {
    await signUpPendingMerchant(service);
    const [mail] = outboxOf(service);
    const forged = { ...mail, to: 'other@example.test', text: `${mail?.text} ${device.token}` };
    appendFileSync(join(service.dataDir, 'outbox.jsonl'), `${JSON.stringify(forged)}\n`);
    expect(await said()).toBe('secrets where none belong: device token in a mail it does not belong to');
  });

  it('finds one in an error body', async () => {
    const echo = createServer((request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: false, error: { message: request.headers.authorization } }));
    });
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    await call(`http://127.0.0.1:${(echo.address() as AddressInfo).port}/v1/echo`, { headers: device.headers });
    echo.close();
    expect(throwOnLeaks).toThrow('secrets where none belong: device token in an error body of /v1/echo');
    expect(await said()).toBe('nothing was found');
  });
});

it('finds nothing after two merchants, their agents and wallets have used everything', async () => {
  const world = await buildWorld();
  await columnsOf(world);
  const tried = issuedSecrets.size;
  const told = await world.stop().then(
    () => '',
    (error: unknown) => (error as Error).message,
  );
  expect(told).toBe('');
  expect(tried).toBeGreaterThan(50);
});

describe('the list of secrets that were handed out', () => {
  it('covers every kind', () => {
    const known = new IssuedSecrets();
    const random = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6';
    const prefixes = ['el', 'sg', 'ms', 'at', 'ck', 'cl', 'ct', 'dt', 'sk'];
    const tokens = prefixes.map((prefix, index) => `svc_${prefix}_${index}${random}${index}`);
    const webhook = 'whsec_abc+def/ghi+jkl/mno+pqr/stu+vwx/yz0=';
    const answer = {
      csrf_token: `${random}c`,
      proof_challenge: `svc:${random}p`,
      pairing: { code: 'ACDE3479', uri: 'x' },
    };
    known.noteAllIn(JSON.stringify([...tokens, webhook, answer]));
    expect(known.size).toBe(prefixes.length + 4);
    expect(known.kindsIn([...tokens, webhook, random + 'c', random + 'p', 'ACDE-3479'].join(' '))).toHaveLength(13);
    expect(known.kindsIn('dev_01JZ5Y0W3X0000000000000000 ACDE347 whsec_ svc_dt_')).toEqual([]);
  });
});
