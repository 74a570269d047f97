import { checkConsistency, checkProof, type PaymentProof } from '../src/audit/proofs';
import { proofOf } from './support/audit';
import { type DnsResponder } from './support/dns-responder';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import {
  connectAnotherWallet,
  createPayment,
  type PaymentScene,
  reportPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { type TestService } from './support/service';

describeOnEachPair('proofs of payment requests', (start) => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let requestId: string;

  const proven = async (by: { headers: Record<string, string> }): Promise<PaymentProof> => {
    const answer = await proofOf(service, by, requestId);
    expect(answer.status).toBe(200);
    expect(answer.body['proof'].pending).toBe(0);
    return answer.body['proof'] as PaymentProof;
  };
  const types = ({ events }: PaymentProof): string[] => events.map(({ event }) => event.type);

  beforeAll(async () => {
    const dnsAndSettings = await startPaymentDns();
    dns = dnsAndSettings.dns;
    service = await start({ env: dnsAndSettings.env });
    scene = await setPaymentScene(service, dns);
    const { body } = await createPayment(service, scene);
    requestId = body['payment_request'].request_id as string;
    await reportPayment(service, scene, requestId, { status: 'signed' });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });

  it('are checked without the service, under the published key', async () => {
    const proof = await proven(scene);
    const { body } = await call(`${service.url}/v1/audit/keys`);
    const [key] = body['keys'] as { key_id: string; status: string }[];
    expect(key).toMatchObject({ status: 'current', alg: 'Ed25519' });
    const verdict = checkProof(proof, { trustedKeys: [key?.key_id ?? ''] });
    expect(verdict).toMatchObject({ ok: true, problems: [] });
    expect(verdict.proven.join(' ')).toContain(`payment_request-${requestId} are all there`);
    expect(checkProof(proof, { trustedKeys: ['another'] }).ok).toBe(false);
  });

  it('show each party what it may see, and nothing of the others', async () => {
    const [agent, wallet, merchant] = [await proven(scene), await proven(scene.device), await proven(scene.merchant)];
    const request = ['PaymentRequestCreated', 'PaymentRequestSigned'];
    expect(types(agent)).toEqual(['ConnectionCreated', ...request]);
    expect(types(wallet)).toEqual(['ConnectInvitationApproved', 'ConnectionCreated', ...request]);
    expect(types(merchant)).toEqual([
      'MerchantDomainVerified',
      'RecipientCreated',
      'RecipientVersionAdded',
      'RecipientVersionVerified',
      'RecipientVersionActivated',
      'ConnectInvitationApproved',
      'ConnectionCreated',
      ...request,
    ]);
    for (const proof of [agent, wallet, merchant]) expect(checkProof(proof).ok).toBe(true);
    const { deviceId } = scene.device;
    expect(JSON.stringify(agent)).not.toContain(deviceId);
    expect(JSON.stringify(merchant)).not.toContain(deviceId);
    expect(JSON.stringify(wallet)).toContain(deviceId);
    expect(JSON.stringify([agent, wallet])).not.toContain('mac_');
  });

  it('break with whatever is changed in them', async () => {
    const proof = await proven(scene.merchant);
    const changed = (change: (copy: any) => void): PaymentProof => {
      const copy = structuredClone(proof);
      change(copy);
      return copy;
    };
    const last = proof.events.length - 1;
    const lies: ((copy: any) => void)[] = [
      (copy) => (copy.events[last].event.type = 'PaymentRequestConfirmed'),
      (copy) => (copy.events[last - 1].event.data.amount = '12.51'),
      (copy) => (copy.events[last - 1].event.data.facts.address = 'elsewhere'),
      (copy) => (copy.events[0].event.metadata.occurred_at = '2020-01-01T00:00:00.000Z'),
      (copy) => (copy.events[last].event.veiled['/data/device_id'] = '0'.repeat(64)),
      (copy) => delete copy.events[last].event.veiled['/data/device_id'],
      (copy) => (copy.events[last].leaf_index -= 1),
      (copy) => copy.events.reverse(),
      (copy) => (copy.checkpoint.tree_size += 1),
      (copy) => (copy.checkpoint.root = '0'.repeat(64)),
      (copy) => (copy.checkpoint.time = '2030-01-01T00:00:00.000Z'),
      (copy) => (copy.keys[0].public_key = '1'.repeat(64)),
      (copy) => (copy.events[1].inclusion = []),
      (copy) => (copy.events = null),
    ];
    for (const lie of lies) expect([String(lie), checkProof(changed(lie)).ok]).toEqual([String(lie), false]);
  });

  it('are for the parties alone', async () => {
    const other = await connectAnotherWallet(service, scene);
    for (const by of [other, other.device]) {
      const answer = await proofOf(service, by, requestId);
      expect([answer.status, answer.body['error'].code]).toEqual([404, 'resource_not_found']);
    }
    expect((await proofOf(service, { headers: {} }, requestId)).status).toBe(401);
    expect((await proofOf(service, scene, 'pr_nobody')).status).toBe(404);
  });

  it('cover what happened a moment ago, by a fresh checkpoint', async () => {
    const { body } = await createPayment(service, scene, { payment: { amount: '7' } });
    const fresh = body['payment_request'].request_id as string;
    const answer = await proofOf(service, scene, fresh);
    expect(answer.body['proof']).toMatchObject({ pending: 0, request_id: fresh });
    expect(checkProof(answer.body['proof'] as PaymentProof).ok).toBe(true);
  });

  it('stand in one growing log: each checkpoint contains the one before', async () => {
    const first = (await proven(scene)).checkpoint;
    const { body: created } = await createPayment(service, scene, { payment: { amount: '8' } });
    const later = await proofOf(service, scene, created['payment_request'].request_id as string);
    const second = later.body['proof'].checkpoint;
    expect(second.tree_size).toBeGreaterThan(first.tree_size);
    const { status, body } = await call(
      `${service.url}/v1/audit/consistency?from=${first.tree_size}&to=${second.tree_size}`,
    );
    expect(status).toBe(200);
    expect(checkConsistency(body['consistency'])).toMatchObject({ ok: true });
    const forged = structuredClone(body['consistency']);
    forged.proof = forged.proof.slice(1);
    expect(checkConsistency(forged).ok).toBe(false);
    expect(checkConsistency({ ...body['consistency'], to: first } as never).ok).toBe(false);
  });

  it.each(['', '?from=1', '?from=x&to=2', '?from=5&to=3'])(
    'refuse a consistency between no checkpoints: %s',
    async (query) => {
      expect((await call(`${service.url}/v1/audit/consistency${query}`)).status).toBe(400);
    },
  );

  it('do not exist for sizes that were never signed', async () => {
    expect((await call(`${service.url}/v1/audit/consistency?from=1&to=999999999`)).status).toBe(404);
  });
});
