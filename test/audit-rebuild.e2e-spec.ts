import { checkConsistency, checkProof, type PaymentProof } from '../src/audit/proofs';
import { type Document } from '../src/platform/read-model/projection';
import { auditCollections } from '../src/audit/log/audit-index';
import { LOG_STREAM, TransparencyLog } from '../src/audit/log/transparency-log';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { newId } from '../src/kernel/ids';
import { READ_MODEL_STORE, type ReadModelStore } from '../src/platform/read-model/read-model.port';
import { allAuditEvents, auditEvents, proofOf, wholeProofOf } from './support/audit';
import { type DnsResponder } from './support/dns-responder';
import { aNewEvent } from './support/events';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, eventsOfType, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { type TestService } from './support/service';

const NEW_KEY = 'a1'.repeat(32);

describeOnEachPair('the transparency log', (start) => {
  let service: TestService;
  let dns: DnsResponder;
  let env: Readonly<Record<string, string>>;
  let scene: PaymentScene;
  let requestId: string;
  let before: PaymentProof;

  const restart = async (more: Readonly<Record<string, string>> = {}, drop = false): Promise<void> => {
    if (drop) await service.app.get<ReadModelStore>(READ_MODEL_STORE).reset('built by nobody we know');
    await service.stop();
    service = await start({ env: { ...env, ...more }, dataDir: service.dataDir });
  };
  const proof = async (): Promise<PaymentProof> => {
    const { body } = await eventually(
      () => proofOf(service, scene, requestId),
      ({ status }) => status === 200,
      'a proof',
    );
    return body['proof'] as PaymentProof;
  };
  const dump = async (): Promise<Document[]> => {
    const documents: Document[] = [];
    for (const collection of auditCollections) {
      const store = service.app.get<ReadModelStore>(READ_MODEL_STORE);
      for await (const { document } of store.dump(collection)) documents.push(document);
    }
    return documents;
  };

  beforeAll(async () => {
    const dnsAndSettings = await startPaymentDns();
    dns = dnsAndSettings.dns;
    env = dnsAndSettings.env;
    service = await start({ env });
    scene = await setPaymentScene(service, dns);
    // Enough to fill a tile and a page of a merchant's feed.
    const made = await Promise.all(
      Array.from({ length: 300 }, (_, index) => createPayment(service, scene, { idempotency_key: `key-${index}` })),
    );
    requestId = made[0]?.body['payment_request'].request_id as string;
    before = await proof();
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });

  it('has the same roots, proofs and numbers after everything was dropped and rebuilt', async () => {
    await eventually(
      () => auditEvents(service, scene.merchant, '?limit=1'),
      ({ body }) => (body['newest_cursor'] as number) >= 300,
      'every request in the feed',
    );
    const events = await allAuditEvents(service, scene.merchant, 200);
    await service.app.get(TransparencyLog).stop();
    const documents = await dump();
    await restart({}, true);
    const size = (documents.find(({ id }) => id === 'log') as unknown as { size: number }).size;
    await eventually(dump, (now) => now.some((one) => 'size' in one && Number(one.size) >= size), 'the tree');
    const full = documents.filter(({ id }) => id.includes('-') || id.includes(':'));
    expect(full.length).toBeGreaterThanOrEqual(2);
    expect(await dump()).toEqual(expect.arrayContaining(full));
    expect(await allAuditEvents(service, scene.merchant, 200)).toEqual(events);
    const after = await proof();
    const mine = ({ events: all }: PaymentProof) => all.map(({ leaf_index, event }) => ({ leaf_index, event }));
    expect(mine(after)).toEqual(mine(before));
    const { body } = await call(
      `${service.url}/v1/audit/consistency?from=${before.checkpoint.tree_size}&to=${after.checkpoint.tree_size}`,
    );
    expect(checkConsistency(body['consistency']).ok).toBe(true);
    expect(service.log()).not.toContain('differs from what was signed');
  });

  it('keeps old proofs valid when the key is rotated', async () => {
    await restart({ AUDIT_SIGNING_KEY: NEW_KEY });
    const { body: created } = await createPayment(service, scene, { idempotency_key: newId('req') });
    const fresh = await proofOf(service, scene, created['payment_request'].request_id as string);
    const now = fresh.body['proof'] as PaymentProof;
    expect(now.checkpoint.key_id).not.toBe(before.checkpoint.key_id);
    const { body } = await call(`${service.url}/v1/audit/keys`);
    const keys = body['keys'] as { key_id: string; status: string; public_key: string }[];
    expect(keys.map(({ key_id, status }) => [key_id, status])).toEqual([
      [now.checkpoint.key_id, 'current'],
      [before.checkpoint.key_id, 'retired'],
    ]);
    const trustedKeys = keys.map(({ key_id }) => key_id);
    for (const one of [before, now]) expect(checkProof(one, { trustedKeys }).ok).toBe(true);
    const across = await call(
      `${service.url}/v1/audit/consistency?from=${before.checkpoint.tree_size}&to=${now.checkpoint.tree_size}`,
    );
    expect(checkConsistency(across.body['consistency'], { trustedKeys }).ok).toBe(true);
  });

  it('can be stopped and started again, and does not sign its own signatures', async () => {
    const log = service.app.get(TransparencyLog);
    await log.stop();
    const { body } = await createPayment(service, scene, { idempotency_key: newId('req') });
    log.start();
    log.start();
    // Until it is signed, it would be news.
    const { checkpoint } = await wholeProofOf(service, scene, body['payment_request'].request_id as string);
    const signed = (await eventsOfType(service, 'CheckpointSigned')).length;
    await log.stop();
    log.start();
    await eventually(
      async () => (await proof()).checkpoint.tree_size,
      (size) => size >= checkpoint.tree_size,
      'the same checkpoint',
    );
    expect((await eventsOfType(service, 'CheckpointSigned')).length).toBe(signed);
  });

  it('stops signing once the log differs from what was signed, and says so at every start', async () => {
    const store = service.app.get<EventStore>(EVENT_STORE);
    const log = service.app.get(TransparencyLog);
    const alarmed = (times: number): Promise<unknown> =>
      eventually(
        async () => service.log().split('the log differs from what was signed').length - 1,
        (alarms) => alarms >= times,
        'the alarm',
      );
    await proof();
    await log.stop();
    const signed = await eventsOfType(service, 'CheckpointSigned');
    const { data, version } = signed.at(-1) as RecordedEvent;
    const forged = { ...data, root: '0'.repeat(64) };
    const added = await store.append(LOG_STREAM, version, [aNewEvent('CheckpointSigned', forged)]);
    expect(added.kind).toBe('appended');
    for (const times of [1, 2]) {
      log.start();
      await alarmed(times);
      const { body } = await createPayment(service, scene, { idempotency_key: newId('req') });
      const answer = await proofOf(service, scene, body['payment_request'].request_id as string);
      expect(answer.body['proof']?.pending ?? answer.body['error'].code).not.toBe(0);
      expect(await eventsOfType(service, 'CheckpointSigned')).toHaveLength(signed.length + 1);
      // Behind from now on, which an alert reports.
      expect(log.lagSeconds()).toBeGreaterThan(0);
      await log.stop();
    }
  });
});
