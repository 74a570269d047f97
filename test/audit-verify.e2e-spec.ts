import { type Document } from '../src/platform/read-model/projection';
import { paymentRequests } from '../projections/payment-requests.projection';
import { SigningKey } from '../src/audit/log/signing-key';
import { type EventStore, type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { newId } from '../src/kernel/ids';
import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  reportIntent,
  setAgentPaymentScene,
} from './support/agent-payments';
import { audit, auditHere } from './support/audit-command';
import { bearing, mustBe } from './support/connections';
import { type DnsResponder } from './support/dns-responder';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, reportPayment, startPaymentDns } from './support/payments';
import { findingsAfter, type Seed, type Seeded } from './support/seeded-log';
import { startTestService, type TestService } from './support/service';

/** Creates requests that are paid, refused and open, a policy in use, and an endpoint. */
async function liveALittle(service: TestService, dns: DnsResponder): Promise<AgentPaymentScene> {
  const scene = await setAgentPaymentScene(service, dns);
  const agent = { ...scene, headers: bearing(scene.connection.connectionToken) };
  const ids = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const { body } = mustBe(201, await createPayment(service, agent, { idempotency_key: `k${index}` }));
      return body['payment_request'].request_id as string;
    }),
  );
  const report = async (id: string | undefined, body: object) => reportPayment(service, scene, id ?? '', body);
  await report(ids[0], { status: 'signed' });
  await report(ids[0], { status: 'broadcasted', transaction_hash: 'h' });
  await report(ids[0], { status: 'confirmed', transaction_hash: 'h' });
  await report(ids[1], { status: 'rejected', reason: 'no' });
  await report(ids[2], { status: 'signed' });
  const policy_id = await createActivePolicy(service, scene);
  const paid = mustBe(201, await createIntent(service, scene, { initiator: 'agent', policy_id, amount: '2' }));
  await reportIntent(service, scene, paid.body['data'].id as string, { status: 'rejected' });
  mustBe(201, await createIntent(service, scene, { initiator: 'agent', policy_id, amount: '3' }));
  await createIntent(service, scene, { initiator: 'agent', policy_id, amount: '11' });
  const url = 'https://hooks.example.com/in';
  mustBe(201, await call(`${service.url}/v1/webhook-endpoints`, { headers: scene.merchant.headers, body: { url } }));
  return scene;
}

describeOnEachPair('verify, next to a running service', (start) => {
  it('finds nothing wrong with what the service did, and says so', async () => {
    const { dns, env } = await startPaymentDns();
    const service = await start({ env });
    await liveALittle(service, dns);
    const { code, lines, notes } = await audit(service.settings, ['verify']);
    expect([code, lines.filter((line) => line.startsWith('BROKEN')), notes]).toEqual([0, [], expect.any(String)]);
    expect(lines.at(-1)).toMatch(/^\d+ events, \d+ documents and \d+ checkpoints: 0 finding\(s\)$/);
    expect(lines.at(-2)).toMatch(/--key/);
    const { lines: json } = await auditHere(service.settings, ['verify', '--json']);
    expect(JSON.parse(json.at(-1) ?? '')).toMatchObject({ findings: 0 });
    await service.stopAndForget();
    await dns.close();
  });
});

describe('verify', () => {
  let service: TestService;
  let dns: DnsResponder;
  let key: SigningKey;

  beforeAll(async () => {
    const dnsAndSettings = await startPaymentDns();
    dns = dnsAndSettings.dns;
    service = await startTestService({ env: dnsAndSettings.env });
    await liveALittle(service, dns);
    key = service.app.get(SigningKey);
    await service.stop();
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });

  type Data = Record<string, any>;
  const LONG_AGO = '2020-01-01T00:00:00.000Z';

  /** Another request modelled on an existing one, with changes. */
  const anotherRequest = async ({ one, add }: Seeded, changes: Data): Promise<Data & { stream: string }> => {
    const request_id = newId('pr');
    const data = { ...one<Data>('PaymentRequestCreated').data, request_id, idempotency_key: null, ...changes };
    await add(`payment_request-${request_id}`, 'PaymentRequestCreated', data);
    return { ...(data as Data), stream: `payment_request-${request_id}` };
  };
  const move = (data: Data, more: Data): Data => ({
    request_id: data['request_id'],
    connection_id: data['connection_id'],
    transaction_id: null,
    device_id: data['device_id'],
    ...more,
  });

  const seeds: Readonly<Record<string, Seed>> = {
    'active-version': async (seeded) => {
      await anotherRequest(seeded, { created_at: LONG_AGO, expires_at: '2020-01-01T00:15:00.000Z' });
    },
    'pinned-facts': async (seeded) => {
      const { facts } = seeded.one<Data>('PaymentRequestCreated').data;
      await anotherRequest(seeded, { facts: { ...facts, address: 'GELSEWHERE' } });
    },
    'exact-amount': async (seeded) => {
      await anotherRequest(seeded, { amount: '1.123456789' });
    },
    'one-payment-per-key': async (seeded) => {
      const { payment_id, merchant_id, connection_id } = seeded.one<Data>('AgentPaymentCreated').data;
      const request_id = newId('pr');
      const stream = `payment_request-${request_id}`;
      const { data } = seeded.one<Data>('PaymentRequestCreated');
      const taken = { connection_id, merchant_id, idempotency_key: 'k', payment_id, taken_at: data['created_at'] };
      await seeded.add(stream, 'PaymentRequestKeyTaken', taken);
      await seeded.add(stream, 'PaymentRequestCreated', { ...data, request_id, idempotency_key: 'k' });
    },
    transitions: async (seeded) => {
      const created = await anotherRequest(seeded, {});
      const confirmed = {
        previous_status: 'broadcasted',
        transaction_hash: 'h',
        ledger: null,
        at: created['created_at'],
      };
      await seeded.add(created.stream, 'PaymentRequestConfirmed', move(created, confirmed));
    },
    expiry: async (seeded) => {
      const created = await anotherRequest(seeded, {});
      const expired = { previous_status: 'pending', at: created['created_at'] };
      await seeded.add(created.stream, 'PaymentRequestExpired', move(created, expired));
    },
    'live-connection': async (seeded) => {
      const { stream, data } = seeded.one<Data>('ConnectionCreated');
      await seeded.add(stream, 'ConnectionPaused', { ...data, paused_at: LONG_AGO }, LONG_AGO);
    },
    'approved-connection': async ({ one, add }) => {
      const connection_id = newId('con');
      const data = { ...one<Data>('ConnectionCreated').data, connection_id, origin_id: newId('inv') };
      await add(`connection-${connection_id}`, 'ConnectionCreated', data);
    },
    evidence: async ({ one, add }) => {
      const { stream, data } = one<Data>('RecipientVersionVerified');
      await add(stream, 'RecipientVersionVerified', { ...data, evidence_digest: `sha256:${'0'.repeat(64)}` });
    },
    'policy-caps': async ({ one, add }) => {
      const { stream, data } = one<Data>('AmountReserved');
      const names = { reservation_id: newId('rsv'), payment_id: newId('ap') };
      await add(stream, 'AmountReserved', { ...data, ...names, amount: '98' });
    },
    reservations: async ({ one, add }) => {
      const { stream, data } = one<Data>('AmountReleased');
      await add(stream, 'AmountReleased', data);
    },
    'policy-behind-payment': async ({ one, add }) => {
      const payment_id = newId('ap');
      const data = { ...one<Data>('AmountReserved').data.payment, payment_id, reservation_id: newId('rsv') };
      await add(`agent_payment-${payment_id}`, 'AgentPaymentCreated', data);
    },
    'traceable-delivery': async ({ one, add }) => {
      const { endpoint_id, merchant_id } = one<Data>('WebhookEndpointCreated').data;
      const subject_id = one<Data>('PaymentRequestCreated').data.request_id as string;
      const delivery_id = newId('whd');
      const lane = `${endpoint_id}:${subject_id}`;
      const told = {
        event_id: newId('evt'),
        event_type: 'payment_request.created',
        subject_id,
        sequence: 1,
        body: '{}',
      };
      const when = { due_at: LONG_AGO, scheduled_at: LONG_AGO };
      const data = { delivery_id, endpoint_id, merchant_id, lane, ...told, ...when };
      await add(`webhook_delivery-${delivery_id}`, 'WebhookDeliveryScheduled', data);
    },
    'one-time': async ({ one, add }) => {
      const { stream, data } = one<Data>('EmailLinkSpent');
      await add(stream, 'EmailLinkSpent', data);
    },
    // Every read would show this request, although no check of requests looks at such a stream.
    'own-streams': async ({ one, add }) => {
      const data = { ...one<Data>('PaymentRequestCreated').data, request_id: newId('pr'), amount: '1.123456789' };
      await add(`invoice-${data.request_id}`, 'PaymentRequestCreated', data);
    },
    lifecycles: async ({ one, add }) => {
      const { stream, data } = one<Data>('WalletDeviceRegistered');
      await add(stream, 'WalletDeviceRegistered', { ...data, name: 'another' });
    },
    'whole-streams': async ({ store, one }) => without(store, one('PaymentRequestRejected')),
    'signed-checkpoints': async ({ add }) => {
      const about = { origin: 'http://svc.test', tree_size: 3, root: '0'.repeat(64), time: LONG_AGO };
      await add('transparency_log-main', 'CheckpointSigned', key.checkpoint(about));
    },
  };

  /** The same store, except that reads of streams omit one event, as if another had been written in its place. */
  const without = (store: EventStore, missing: RecordedEvent): EventStore => {
    const isThere = (event: RecordedEvent): boolean => event.position !== missing.position;
    return {
      ...store,
      head: () => store.head(),
      close: () => store.close(),
      readAll: (after, limit) => store.readAll(after, limit),
      readStream: async (stream, after) => (await store.readStream(stream, after)).filter(isThere),
    };
  };

  it('finds nothing in an untouched copy', async () => {
    expect(await findingsAfter(service.dataDir, async () => undefined)).toEqual([]);
  });

  it.each(Object.entries(seeds))('finds the seeded defect %s, by name and place', async (name, seed) => {
    const found = await findingsAfter(service.dataDir, seed);
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map(([invariant]) => invariant))).toEqual(new Set([name]));
  });

  it('finds an amount that was released in the name of a payment that does not exist', async () => {
    const found = await findingsAfter(service.dataDir, async ({ one, add }) => {
      const { stream, data } = one<Data>('AmountReserved');
      const closing = { payment_id: newId('ap'), reason: 'not_used', released_at: data.reserved_at };
      await add(stream, 'AmountReleased', { ...data, ...closing });
    });
    expect(found).toEqual([['reservations', expect.stringMatching(/^automation_policy-pol_/)]]);
  });

  it('finds a version that was added again with another address', async () => {
    const found = await findingsAfter(service.dataDir, async ({ one, add }) => {
      const { stream, data } = one<Data>('RecipientVersionAdded');
      await add(stream, 'RecipientVersionAdded', { ...data, facts: { ...data.facts, address: 'GELSEWHERE' } });
    });
    expect(found).toEqual([['lifecycles', expect.stringMatching(/^recipient-rcp_/)]]);
  });

  it('finds a signature that matches no published key', async () => {
    const found = await findingsAfter(service.dataDir, async ({ one, add }) => {
      const { stream, data } = one<Data>('CheckpointSigned');
      await add(stream, 'CheckpointSigned', { ...data, time: LONG_AGO });
    });
    expect(found).toEqual([['signed-checkpoints', expect.stringMatching(/^transparency_log-main \d+$/)]]);
  });

  it.each([-1, 0.5, null])('finds a checkpoint over %s events', async (tree_size) => {
    const found = await findingsAfter(service.dataDir, async ({ one, add }) => {
      const { stream, data } = one<Data>('CheckpointSigned');
      await add(stream, 'CheckpointSigned', { ...data, tree_size });
    });
    expect(new Set(found.map(([invariant]) => invariant))).toEqual(new Set(['signed-checkpoints']));
  });

  it.each([
    ['changed', (document: Document) => ({ ...document, amount: '1' })],
    ['made up', (document: Document) => ({ ...document, id: 'pr_made_up' })],
  ])('finds a document that was %s without an event in the log', async (_how, change) => {
    const nothing = async (): Promise<void> => undefined;
    const found = await findingsAfter(service.dataDir, nothing, async ({ model, one }) => {
      const id = one<Data>('PaymentRequestCreated').data.request_id as string;
      const [stored] = await model.load([{ collection: paymentRequests, id }]);
      if (stored === undefined) throw new Error('no request to change');
      const position = stored.position + 1_000n;
      await model.apply([{ collection: paymentRequests, document: change(stored.document), position }], 0n);
    });
    expect(found).toEqual([['read-model', expect.stringMatching(/^payment_requests\/pr_/)]]);
  });
});
