import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  optIn,
  setAgentPaymentScene,
} from './support/agent-payments';
import { TESTNET_FACTS } from './support/agents';
import { bearing, mustBe } from './support/connections';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, type PaymentScene, readPayment, reportPayment } from './support/payments';
import { recipientsOf } from './support/recipients';
import { signInAgain } from './walls/world';
import { useServiceWithDns } from './support/use-service';

const DAY_MS = 24 * 3_600_000;
const OTHER = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI';

describeOnEachPair('what a person is shown before approving', (start) => {
  let scene: AgentPaymentScene;
  let paying: PaymentScene;
  let now = Date.parse('2030-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(now) };

  const { service, dns } = useServiceWithDns({ start, clock });
  beforeAll(async () => {
    scene = await setAgentPaymentScene(service, dns, { clock });
    paying = { ...scene, headers: bearing(scene.connection.connectionToken) };
  });

  const ask = async (changes: object = {}): Promise<string> =>
    mustBe(201, await createPayment(service, paying, { ...changes })).body.payment_request.request_id as string;
  const pay = async (id: string): Promise<void> => {
    mustBe(200, await reportPayment(service, paying, id, { status: 'signed' }));
    const transaction_hash = 'cd'.repeat(32);
    mustBe(200, await reportPayment(service, paying, id, { status: 'broadcasted', transaction_hash }));
    mustBe(200, await reportPayment(service, paying, id, { status: 'confirmed', transaction_hash }));
  };
  const look = async (id: string) => (await readPayment(service, scene.device, id)).body;
  const codes = (body: any): string[] => body.review.notices.map(({ code }: { code: string }) => code);

  it('contains the facts, what is new about them, and a link for other wallets', async () => {
    const id = await ask();
    const body = await look(id);
    expect(codes(body)).toEqual(['recipient_version_new', 'first_payment_to_recipient', 'domain_recently_verified']);
    expect(body.review.facts).toMatchObject({
      confirmed_payments: 0,
      last_confirmed_at: null,
      recipient_version: { recipient_version_id: scene.recipient.recipientVersionId, number: 1 },
      domain: { domain: scene.merchant.domain },
      agent: { agent_id: scene.agent.agentId },
      connection: { connection_id: scene.connection.connectionId, scopes: expect.any(Array) },
    });
    expect(body.payment_uri).toBe(
      `web+stellar:pay?destination=${TESTNET_FACTS.address}&amount=12.50&network_passphrase=Test%20SDF%20Network%20%3B%20September%202015`,
    );
    expect(body.payment_request).toMatchObject({ review: body.review, payment_uri: body.payment_uri });
    for (const { headers } of [paying, scene.merchant]) {
      expect((await readPayment(service, { headers }, id)).text).not.toMatch(/review|payment_uri/);
    }
    await pay(id);
    expect(codes(await look(await ask({ payment: { amount: '12.5' } })))).toContain('same_intent_open');
  });

  it('warns of details that were replaced or retired since, and of a name that is another payee’s', async () => {
    const other = await setAgentPaymentScene(service, dns, { clock });
    const payee = { ...other, headers: bearing(other.connection.connectionToken) };
    const noticed = async (id: string, code: string) =>
      (await readPayment(service, other.device, id)).body.review.notices.filter((one: any) => one.code === code);
    const open = async (changes: Readonly<Record<string, unknown>> = {}): Promise<string> =>
      mustBe(201, await createPayment(service, payee, changes)).body.payment_request.request_id as string;
    const id = await open();
    const transaction_hash = 'ab'.repeat(32);
    for (const report of [{ status: 'signed' }, { status: 'broadcasted', transaction_hash }]) {
      mustBe(200, await reportPayment(service, other, id, report));
    }
    mustBe(200, await reportPayment(service, other, id, { status: 'confirmed', transaction_hash }));

    const mine = recipientsOf(service, other.merchant);
    const namesake = await mine.created({ name: 'EXAMPLE  shop', address: OTHER });
    const active = mustBe(200, await mine.activate(namesake, mine.evidenceIn(await mine.verify(namesake)))).body;
    const reused = await open({ recipient_id: namesake.id, recipient_version_id: namesake.versionId });
    expect(await noticed(reused, 'payee_name_reused')).toMatchObject([{ severity: 'danger' }]);

    const pending = await open({ payment: { amount: '7' } });
    const { recipientId, recipientVersionId } = other.recipient;
    const added = await mine.addVersion(recipientId, { ...TESTNET_FACTS, memo: '9', version: 3 });
    const next = {
      id: recipientId,
      versionId: added.body.recipient_version.recipient_version_id as string,
      version: 4,
    };
    mustBe(200, await mine.activate(next, mine.evidenceIn(await mine.verify(next))));
    expect(await noticed(pending, 'payee_version_superseded')).toMatchObject([{ severity: 'warning' }]);
    mustBe(200, await mine.retire({ id: recipientId, versionId: recipientVersionId, version: 6 }));
    expect(await noticed(pending, 'payee_version_superseded')).toMatchObject([{ severity: 'danger' }]);
    // What was paid is paid.
    expect(await noticed(id, 'payee_version_superseded')).toEqual([]);
    expect(active.recipient.active_version_id).toBe(namesake.versionId);
  });

  it('warns of what differs from before: a repeated request, a larger amount, another address', async () => {
    now += 2 * DAY_MS;
    scene = { ...scene, merchant: { ...scene.merchant, ...(await signInAgain(service, scene.merchant)) } };
    // What was paid more than a day ago is no duplicate.
    expect(codes(await look(await ask({ payment: { amount: '12.5' } })))).toEqual([]);
    // Notices use the id that the parties know, even if the agent chose it.
    const usual = await ask({ request_id: 'order-3', payment: { amount: '3' } });
    expect(codes(await look(usual))).toEqual([]);
    expect((await look(usual)).review.facts).toMatchObject({ confirmed_payments: 1 });
    const doubled = await look(await ask({ payment: { amount: '3.00' } }));
    expect(doubled.review.notices).toEqual([
      expect.objectContaining({ code: 'same_intent_open', severity: 'warning', request_ids: [usual] }),
    ]);
    await reportPayment(service, paying, usual, { status: 'rejected' });
    expect(codes(await look(await ask({ payment: { amount: '25.0000001' } })))).toEqual(['amount_above_usual']);

    const payee = recipientsOf(service, scene.merchant);
    const id = scene.recipient.recipientId;
    const { version } = (await payee.read(id)).body.recipient;
    const added = mustBe(201, await payee.addVersion(id, { ...TESTNET_FACTS, address: OTHER, version }));
    const versionId = added.body.recipient_version.recipient_version_id as string;
    const made = { id, versionId, version: added.body.recipient.version as number };
    mustBe(200, await payee.activate(made, payee.evidenceIn(mustBe(200, await payee.verify(made)))));
    const changed = await look(await ask({ recipient_version_id: versionId, payment: { amount: '4' } }));
    expect(codes(changed)).toEqual(['payee_changed_since_last_payment', 'recipient_version_new']);
    expect(changed.review.notices[0].severity).toBe('danger');
  });

  it('is available for agent payments too, and says if no policy covers one', async () => {
    const read = async (id: string) =>
      (await call(`${service.url}/v1/agent-payments/${id}`, { headers: scene.device.headers })).body.data;
    const policyId = await createActivePolicy(service, scene);
    const byAgent = mustBe(201, await createIntent(service, scene, { initiator: 'agent', amount: '0.7' })).body.data;
    expect(codes(await read(byAgent.id as string))).not.toContain('outside_policy');
    const byPerson = mustBe(201, await createIntent(service, scene, { amount: '0.7' })).body.data;
    const seen = await read(byPerson.id as string);
    expect(codes(seen)).toEqual(expect.arrayContaining(['outside_policy', 'same_intent_open']));
    expect(seen.payment_uri).toContain(`destination=${OTHER}`);
    const asMerchant = await call(`${service.url}/v1/agent-payments/${byPerson.id}`, { headers: scene.headers });
    expect(asMerchant.text).not.toMatch(/review|payment_uri/);
    mustBe(200, await optIn(service, scene, policyId, 'opt-out'));
    expect(codes(await read(byAgent.id as string))).toContain('outside_policy');
  });

  it('says that a policy no longer covers a payment once its validity window has ended', async () => {
    const time = (ms: number) => new Date(now + ms).toISOString();
    const policy_id = await createActivePolicy(service, scene, { valid_until: time(3_600_000) });
    const intent = { initiator: 'agent', amount: '0.9', policy_id, expires_at: time(7_200_000) };
    const { id } = mustBe(201, await createIntent(service, scene, intent)).body.data;
    const read = async () =>
      (await call(`${service.url}/v1/agent-payments/${id}`, { headers: scene.device.headers })).body.data;
    now += 3_599_999;
    expect(codes(await read())).not.toContain('outside_policy');
    now += 1;
    expect(codes(await read())).toContain('outside_policy');
  });

  it('points out an agent that sends too many requests, of either kind', async () => {
    now += 2 * 3_600_000;
    let last = '';
    for (let index = 1; index <= 11; index += 1) {
      if (index % 2 === 0) {
        mustBe(201, await createIntent(service, scene, { amount: `0.0${index}1` }));
        continue;
      }
      last = await ask({
        recipient_version_id: (await recipientsOf(service, scene.merchant).read(scene.recipient.recipientId)).body
          .recipient.active_version_id,
        payment: { amount: `0.0${index}1` },
      });
      expect(codes(await look(last)).includes('many_requests')).toBe(index > 10);
    }
  });
});
