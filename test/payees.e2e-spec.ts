import { createActiveRecipient } from './support/agents';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { recipientsOf } from './support/recipients';
import { type TestService } from './support/service';

describeOnEachPair('the payees and the identity of a connection', (start) => {
  let service: TestService;
  let scene: PaymentScene;
  let other: PaymentScene;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const { dns, env } = await startPaymentDns();
    service = await start({ env });
    scene = await setPaymentScene(service, dns);
    other = await setPaymentScene(service, dns);
    close = () => dns.close();
  });
  afterAll(async () => {
    await service.stopAndForget();
    await close();
  });

  const payees = async (query = '', { headers } = scene) =>
    (await call(`${service.url}/v1/payees${query}`, { headers })).body;

  it('include the merchant’s active recipients, without addresses', async () => {
    await recipientsOf(service, scene.merchant).created();
    const listed = await payees();
    expect(listed).toEqual({
      ok: true,
      payees: [
        {
          recipient_id: scene.recipient.recipientId,
          recipient_version_id: scene.recipient.recipientVersionId,
          name: expect.any(String),
          network: 'stellar_testnet',
          asset: 'XLM',
          domain: scene.merchant.domain,
        },
      ],
      next_cursor: null,
    });
    expect(JSON.stringify(await payees('', other))).not.toContain(scene.recipient.recipientId);
  });

  it('are listed in pages, newest first', async () => {
    const second = await createActiveRecipient(service, scene.merchant);
    const first = await payees('?limit=1');
    expect(first.payees.map((each: any) => each.recipient_id)).toEqual([second.recipientId]);
    const rest = await payees(`?limit=1&cursor=${first.next_cursor}`);
    expect(rest.payees.map((each: any) => each.recipient_id)).toEqual([scene.recipient.recipientId]);
  });

  it('are shown to the holder of its token', async () => {
    const { status, body } = await call(`${service.url}/v1/connections/current`, { headers: scene.headers });
    expect(status).toBe(200);
    const { device } = scene;
    const shown = await call(`${service.url}/v1/connections/${scene.connection.connectionId}`, device);
    expect(body).toEqual({
      ok: true,
      connection: shown.body.connection,
      agent: { agent_id: scene.agent.agentId, name: shown.body.connection.agent_name },
      merchant: {
        merchant_id: scene.merchant.merchantId,
        name: shown.body.connection.merchant_name,
        domain: scene.merchant.domain,
      },
      scopes: shown.body.connection.scopes,
    });
    expect(JSON.stringify(body)).not.toContain(device.deviceId);
    const byDevice = await call(`${service.url}/v1/connections/current`, { headers: device.headers });
    expect(byDevice.body.error.code).toBe('unauthenticated');
  });
});
