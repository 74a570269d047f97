import fc from 'fast-check';
import { checkConsistency, checkProof, type PaymentProof } from '../src/audit/proofs';
import { proofOf, wholeProofOf } from './support/audit';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { MovingClock } from './support/moving-clock';
import { describeOnEachPair } from './support/pairs';
import { connectAnotherWallet, createPayment, readPayment, reportPayment } from './support/payments';
import { useScene } from './support/use-service';

describeOnEachPair('proofs of payment requests', (start) => {
  let requestId: string;

  const proven = (by: { headers: Record<string, string> }): Promise<PaymentProof> =>
    wholeProofOf(service, by, requestId);
  const types = ({ events }: PaymentProof): string[] => events.map(({ event }) => event.type);

  const clock = new MovingClock();
  const { service, scene } = useScene({ start, clock });
  beforeAll(async () => {
    const { body } = await createPayment(service, scene);
    requestId = body['payment_request'].request_id as string;
    await reportPayment(service, scene, requestId, { status: 'signed' });
  });

  it('are verified without the service, under the published key', async () => {
    const proof = await proven(scene);
    const { body } = await call(`${service.url}/v1/audit/keys`);
    const [key] = body['keys'] as { key_id: string; status: string }[];
    expect(key).toMatchObject({ status: 'current', alg: 'Ed25519' });
    const verdict = checkProof(proof, { trustedKeys: [key?.key_id ?? ''] });
    expect(verdict).toMatchObject({ ok: true, problems: [] });
    expect(verdict.proven.join(' ')).toContain(`all that the log held about ${requestId}`);
    expect(checkProof(proof, { trustedKeys: ['another'] }).ok).toBe(false);
  });

  it('show each party what it may see, and nothing about the others', async () => {
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

  it('fail if anything in them is changed', async () => {
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

  describe('are complete:', () => {
    type Tampering = readonly [name: string, change: (copy: any, other: PaymentProof) => unknown];
    const own = (copy: any): number =>
      copy.events.findIndex(({ event }: any) => event.type === 'PaymentRequestCreated');
    const without = (list: any[], at: number): any[] => list.filter((_, index) => index !== at);
    const tamperings: Tampering[] = [
      [
        'an event removed, any',
        (copy) => (copy.events = without(copy.events, fc.sample(fc.nat(copy.events.length - 1), 1)[0] ?? 0)),
      ],
      ['the last event cut off', (copy) => copy.events.pop()],
      [
        'the end cut off and the statement with it',
        (copy) => {
          copy.events.pop();
          copy.extent.version -= 1;
          copy.extent.leaves.pop();
        },
      ],
      ['the beginning cut off', (copy) => copy.events.splice(0, own(copy) + 1)],
      ['no event at all', (copy) => (copy.events = [])],
      [
        'nothing at all, and a statement that says so',
        (copy) => {
          copy.events = [];
          Object.assign(copy.extent, { version: 0, leaves: [], withheld: [] });
        },
      ],
      [
        'an event said to be withheld',
        (copy) => {
          copy.events.pop();
          copy.extent.withheld = [2];
        },
      ],
      ['another request’s events', (copy, other) => (copy.events = other.events)],
      ['another request’s statement', (copy, other) => (copy.extent = other.extent)],
      [
        'all of another request, under this id',
        (copy, other) => Object.assign(copy, { ...other, request_id: requestId }),
      ],
      ['this request under another id', (copy, other) => (copy.request_id = other.request_id)],
      ['an event of another request put in', (copy, other) => copy.events.push(other.events.at(-1))],
      [
        'one event exchanged for another request’s',
        (copy, other) => (copy.events[copy.events.length - 1] = other.events.at(-1)),
      ],
      ['two events exchanged', (copy) => copy.events.push(copy.events.shift())],
      ['an event doubled', (copy) => copy.events.push(copy.events.at(-1))],
      ['no statement', (copy) => delete copy.extent],
      ['a member nobody knows', (copy) => (copy.endorsement = [])],
      ['another stream’s name', (copy) => (copy.extent.stream = 'payment_request-pr_other')],
      ['a stream relabelled in an event', (copy) => (copy.events[own(copy)].event.stream = 'payment_request-pr_other')],
    ];
    let other: PaymentProof;

    beforeAll(async () => {
      const { body } = await createPayment(service, scene, { payment: { amount: '9' } });
      other = await wholeProofOf(service, scene.merchant, body['payment_request'].request_id as string);
    });

    it.each(tamperings)('%s is found', async (_, change) => {
      for (const by of [scene, scene.device, scene.merchant]) {
        const copy = structuredClone(await proven(by));
        change(copy, structuredClone(other));
        const verdict = checkProof(copy);
        expect([verdict.ok, verdict.problems.length > 0]).toEqual([false, true]);
      }
    });

    it('the agent sees a late report like every other party', async () => {
      const expires_at = new Date(clock.now().getTime() + 60_000).toISOString();
      const { body } = await createPayment(service, scene, { expires_at });
      const id = body['payment_request'].request_id as string;
      clock.skip(60_000);
      await eventually(
        async () => (await readPayment(service, scene, id)).body['payment_request'].status as string,
        (status) => status === 'expired',
        'it expires',
      );
      expect((await reportPayment(service, scene, id, { status: 'signed' })).status).toBe(409);
      const asAgent = await wholeProofOf(service, scene, id);
      expect(asAgent.extent).toMatchObject({ version: 3, withheld: [] });
      expect(checkProof(asAgent).problems).toEqual([]);
      const asWallet = await wholeProofOf(service, scene.device, id);
      expect(asWallet.extent).toMatchObject({ version: 3, withheld: [] });
    });
  });

  it('are available to the parties alone', async () => {
    const other = await connectAnotherWallet(service, scene);
    for (const by of [other, other.device]) {
      const answer = await proofOf(service, by, requestId);
      expect([answer.status, answer.body['error'].code]).toEqual([404, 'resource_not_found']);
    }
    expect((await proofOf(service, { headers: {} }, requestId)).status).toBe(401);
    expect((await proofOf(service, scene, 'pr_nobody')).status).toBe(404);
  });

  it('cover the most recent event, with a fresh checkpoint', async () => {
    const { body } = await createPayment(service, scene, { payment: { amount: '7' } });
    const fresh = body['payment_request'].request_id as string;
    const answer = await proofOf(service, scene, fresh);
    expect(answer.body['proof']).toMatchObject({ pending: 0, request_id: fresh });
    expect(checkProof(answer.body['proof'] as PaymentProof).ok).toBe(true);
  });

  it('belong to one growing log: each checkpoint contains the one before', async () => {
    const first = (await proven(scene)).checkpoint;
    const { body: created } = await createPayment(service, scene, { payment: { amount: '8' } });
    const later = await wholeProofOf(service, scene, created['payment_request'].request_id as string);
    const second = later.checkpoint;
    expect(second.tree_size).toBeGreaterThan(first.tree_size);
    const { status, body } = await call(
      `${service.url}/v1/audit/consistency?from=${first.tree_size}&to=${second.tree_size}`,
    );
    expect(status).toBe(200);
    // Only who kept the older checkpoint can tell that it is the same: a restored log may have signed another one.
    expect(checkConsistency(body['consistency'])).toMatchObject({
      ok: true,
      notProven: expect.arrayContaining([expect.stringContaining(`compare its root, ${first.root}`)]),
    });
    const forged = structuredClone(body['consistency']);
    forged.proof = forged.proof.slice(1);
    expect(checkConsistency(forged).ok).toBe(false);
    expect(checkConsistency({ ...body['consistency'], to: first } as never).ok).toBe(false);
  });

  it.each(['', '?from=1', '?from=x&to=2', '?from=5&to=3'])(
    'refuse a consistency proof without two valid sizes: %s',
    async (query) => {
      expect((await call(`${service.url}/v1/audit/consistency${query}`)).status).toBe(400);
    },
  );

  it('do not exist for sizes that were never signed', async () => {
    expect((await call(`${service.url}/v1/audit/consistency?from=1&to=999999999`)).status).toBe(404);
  });
});
