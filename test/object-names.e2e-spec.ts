import { type DnsResponder } from './support/dns-responder';
import { call } from './support/http';
import { paymentInput, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';

/** Every property name that objects, functions, lists or strings inherit. */
const NAMES = [
  ...new Set(
    [Object, Object.prototype, Function.prototype, Array.prototype, String.prototype, Promise.prototype].flatMap(
      (one) => Object.getOwnPropertyNames(one),
    ),
  ),
  'then',
  'toJSON',
];

describe('names that every object has', () => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;

  beforeAll(async () => {
    const started = await startPaymentDns();
    dns = started.dns;
    service = await startTestService({ env: started.env });
    scene = await setPaymentScene(service, dns);
  }, 60_000);
  afterAll(async () => {
    await service.stop();
    await dns.close();
  });

  /** The responses that are server errors. */
  const failures = async (ask: (name: string) => ReturnType<typeof call>): Promise<readonly string[]> => {
    const failed: string[] = [];
    for (const name of NAMES) {
      const { status } = await ask(name);
      if (status >= 500) failed.push(`${name}: ${status}`);
    }
    return failed;
  };
  const at = (path: string): string => `${service.url}${path}`;

  it.each([
    ['/v1/payment-requests', () => scene.headers],
    ['/v1/payment-requests/events', () => scene.headers],
    ['/v1/connections', () => scene.device.headers],
    ['/v1/recipients', () => scene.merchant.headers],
    ['/v1/webhook-deliveries', () => scene.merchant.headers],
    ['/v1/audit/events', () => scene.merchant.headers],
    ['/v1/audit/checkpoints', () => ({})],
  ])('break no query of %s', async (path, headersOf) => {
    expect(
      await failures((name) => call(at(`${path}?${encodeURIComponent(name)}=1`), { headers: headersOf() })),
    ).toEqual([]);
  });

  it('break no query value', async () => {
    expect(
      await failures((name) =>
        call(at(`/v1/payment-requests?status=${name}&cursor=${name}`), { headers: scene.headers }),
      ),
    ).toEqual([]);
  });

  it('break no body: as keys of it, as keys within it, as values', async () => {
    const post = (body: string): ReturnType<typeof call> =>
      call(at('/v1/payment-requests'), { headers: scene.headers, raw: body });
    const input = (extra: Readonly<Record<string, unknown>>, name: string): string =>
      JSON.stringify(paymentInput(scene, extra)).replaceAll('"NAME"', JSON.stringify(name));
    expect(await failures((name) => post(input({ NAME: 1 }, name)))).toEqual([]);
    expect(await failures((name) => post(input({ metadata: { NAME: { NAME: ['NAME'] } } }, name)))).toEqual([]);
    expect(await failures((name) => post(input({ transaction_id: 'NAME', idempotency_key: 'NAME' }, name)))).toEqual(
      [],
    );
    expect(
      await failures((name) => post(input({ payment: { amount: 'NAME', NAME: 1 }, recipient_id: 'NAME' }, name))),
    ).toEqual([]);
  });

  it('break no check of a choice, a network or an asset', async () => {
    const recipient = (name: string) => ({ name: 'Shop', network: name, asset: name, address: name });
    const ask = (path: string, body: object): ReturnType<typeof call> =>
      call(at(path), { headers: scene.merchant.headers, body });
    expect(await failures((name) => ask('/v1/recipients', recipient(name)))).toEqual([]);
    expect(await failures((name) => ask('/v1/recipients', { ...recipient(name), network: 'stellar_testnet' }))).toEqual(
      [],
    );
    expect(await failures((name) => ask('/v1/webhook-endpoints', { url: name, events: [name] }))).toEqual([]);
    expect(
      await failures((name) => ask('/v1/agents', { name, runtime: name, environment: name, allowed_scopes: [name] })),
    ).toEqual([]);
  });

  it('break no path and no header', async () => {
    for (const path of ['/v1/payment-requests/', '/v1/connections/', '/v1/', '/', '/v1/transaction-contexts/']) {
      expect(await failures((name) => call(at(`${path}${name}`), { headers: scene.headers }))).toEqual([]);
    }
    const isHeader = (name: string): boolean => /^[\w-]+$/.test(name);
    expect(
      await failures((name) =>
        call(at('/v1/payment-requests'), {
          headers: { ...scene.headers, ...(isHeader(name) ? { [`${name}`]: '1' } : {}) },
        }),
      ),
    ).toEqual([]);
    expect(
      await failures((name) =>
        call(at('/v1/payment-requests'), {
          headers: { ...scene.headers, 'x-svc-network': name, 'last-event-id': name },
        }),
      ),
    ).toEqual([]);
  });
});
