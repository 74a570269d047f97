import { createHash } from 'node:crypto';
import { checkProof, canonical, ExportCheck, type PaymentProof } from '../src/audit/proofs';
import { READ_MODEL_STORE, type ReadModelStore } from '../src/platform/read-model/read-model.port';
import { TransparencyLog } from '../src/audit/log/transparency-log';
import { trees } from '../src/audit/tree/tiles';
import { auditHere } from './support/audit-command';
import { proofOf, wholeProofOf } from './support/audit';
import { type AgentPaymentScene, createIntent, setAgentPaymentScene } from './support/agent-payments';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, reportPayment, startPaymentDns } from './support/payments';
import { type TestService } from './support/service';

describeOnEachPair('proofs, exports and the audit feed', (start) => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: AgentPaymentScene;
  let token: Record<string, string>;
  beforeAll(async () => {
    const prepared = await startPaymentDns();
    dns = prepared.dns;
    service = await start({ env: prepared.env });
    scene = await setAgentPaymentScene(service, dns);
    token = { authorization: `Bearer ${scene.connection.connectionToken}` };
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });
  afterEach(() => jest.restoreAllMocks());
  const ask = (key: string, changes: object = {}) =>
    createPayment(
      service,
      { ...scene, headers: token },
      { idempotency_key: key, payment: { amount: '2' }, ...changes },
    );
  const proven = (id: string, by: { headers: Record<string, string> } = scene.merchant): Promise<PaymentProof> =>
    wholeProofOf(service, by, id);

  it('cover a request whose key a refused agent payment had taken', async () => {
    await createIntent(service, scene, {
      initiator: 'agent',
      idempotency_scope: 'connection',
      amount: '2',
      idempotency_key: 'taken-first',
    });
    const asked = await ask('taken-first');
    expect(asked.status).toBe(201);
    const id = asked.body.payment_request.request_id as string;
    const verdict = checkProof(await proven(id));
    expect(verdict.problems).toEqual([]);
    expect(checkProof(await proven(id, { headers: token })).problems).toEqual([]);
  });

  it('omit nothing that the checkpoint covers', async () => {
    const id = (await ask('waited')).body.payment_request.request_id as string;
    await reportPayment(service, scene, id, { status: 'signed' });
    const log = service.app.get(TransparencyLog);
    const covers = log.covers.bind(log);
    jest.spyOn(log, 'covers').mockImplementationOnce(async (position) => {
      // While the caller waits up to five seconds for a checkpoint, the wallet reports the next step.
      await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash: 'h' });
      return covers(position);
    });
    const { body } = await proofOf(service, scene.merchant, id);
    const first = body['proof'] as PaymentProof;
    const later = await proven(id);
    const { tree_size } = first.checkpoint;
    const covered = later.events.filter(({ leaf_index }) => leaf_index < tree_size).map(({ event }) => event.type);
    const shown = first.events.map(({ event }) => event.type);
    expect(checkProof(first).ok).toBe(true);
    expect([shown, first.extent?.withheld]).toEqual([covered, []]);
  });

  it('are rejected if anything was added inside a proof', async () => {
    const id = (await ask('members')).body.payment_request.request_id as string;
    const proof = await proven(id);
    const lies: ((copy: any) => void)[] = [
      (copy) => (copy.events.at(-1).event.status = 'confirmed'),
      (copy) => (copy.events.at(-1).paid_at = '2026-01-01'),
      (copy) =>
        Object.defineProperty(copy.events.at(-1).event.data, '__proto__', {
          value: { amount: '1000' },
          enumerable: true,
        }),
      (copy) => (copy.checkpoint.witnessed_by = 'auditor'),
      (copy) => (copy.extent.note = 'refunded'),
      (copy) => (copy.keys[0].owner = 'the service'),
    ];
    const passed = lies.filter((lie) => {
      const copy = structuredClone(proof);
      lie(copy);
      return checkProof(copy, { trustedKeys: [proof.checkpoint.key_id] }).ok;
    });
    expect(passed.map(String)).toEqual([]);
  });

  it('are rejected if anything was added to a whole export', async () => {
    const { lines } = await auditHere(service.settings, ['export', '--all']);
    const judge = (all: readonly string[]) => {
      const check = new ExportCheck({});
      for (const line of all) check.line(line);
      return check.end();
    };
    expect(judge(lines).problems).toEqual([]);
    const forged = (change: (parsed: any[]) => void): string[] => {
      const parsed = lines.map((line) => JSON.parse(line));
      change(parsed);
      const body = parsed.slice(0, -1).map((one) => canonical(one));
      const seal = parsed.at(-1);
      seal.sha256 = createHash('sha256')
        .update(body.map((line) => `${line}\n`).join(''))
        .digest('hex');
      return [...body, canonical(seal)];
    };
    const lies: ((parsed: any[]) => void)[] = [
      (parsed) => (parsed.at(-2).confirmed = true),
      (parsed) => (parsed[1].data_corrected = { amount: '1' }),
      (parsed) => (parsed[0].exported_for = 'somebody'),
    ];
    expect(lies.filter((lie) => judge(forged(lie)).ok).map(String)).toEqual([]);
  });

  it('answer while the merchant’s feed is stored but the tree is not yet', async () => {
    await service.app.get(TransparencyLog).stop();
    const model = service.app.get<ReadModelStore>(READ_MODEL_STORE);
    const url = `${service.url}/v1/audit/events`;
    const first = await call(`${url}?limit=1`, { headers: scene.merchant.headers });
    const since = first.body['newest_cursor'] as number;
    // An event of somebody else comes first.
    await call(`${service.url}/v1/wallet-devices`, { body: { name: 'another' } });
    await call(`${service.url}/v1/wallet-devices`, { body: { name: 'another' } });
    await ask('torn-1');
    await ask('torn-2');
    const apply = model.apply.bind(model);
    let torn = false;
    // A server without transactions can be seen between two writes; the tree is written last.
    jest.spyOn(model, 'apply').mockImplementation(async (writes, ...rest) => {
      if (writes.some(({ collection }) => collection.name === trees.name)) {
        await apply(
          writes.filter(({ collection }) => collection.name !== trees.name),
          ...rest,
        );
        torn = true;
        throw new Error('killed here');
      }
      return apply(writes, ...rest);
    });
    service.app.get(TransparencyLog).start();
    await eventually(async () => torn, Boolean, 'a torn write');
    const answer = await call(`${url}?since=${since}`, { headers: scene.merchant.headers });
    expect(answer.status).toBe(200);
  });
});
