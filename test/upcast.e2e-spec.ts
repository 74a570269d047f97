import { checkProof, leafHash, type PaymentProof } from '../src/audit/proofs';
import { paymentRequest } from '../src/capabilities/payment-requests/payment-request';
import { UPCASTS } from '../src/platform/event-store/event-codec';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { CommandRunner } from '../src/platform/event-store/run-command';
import { READ_MODEL_STORE, type ReadModelStore } from '../src/platform/read-model/read-model.port';
import { allAuditEvents, proofOf } from './support/audit';
import { auditHere } from './support/audit-command';
import { type DnsResponder } from './support/dns-responder';
import { aNewEvent } from './support/events';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { type TestService } from './support/service';

/** As if a failed payment once had `why` instead of `reason`. Only this test ever writes such an event. */
const upcast = ({ why, ...rest }: Readonly<Record<string, unknown>>): object => ({ ...rest, reason: why });
const OLD = { why: 'no funds' };

describeOnEachPair('an event of an old schema', (start) => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let requestId: string;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    UPCASTS.set('PaymentRequestFailed', [upcast as (data: object) => object]);
    const responder = await startPaymentDns();
    dns = responder.dns;
    env = responder.env;
    service = await start({ env });
    scene = await setPaymentScene(service, dns);
    requestId = (await createPayment(service, scene)).body.payment_request.request_id as string;
    const store = service.app.get<EventStore>(EVENT_STORE);
    const { device, connection } = scene;
    const facts = { request_id: requestId, connection_id: connection.connectionId, transaction_id: null };
    const data = { ...facts, device_id: device.deviceId, previous_status: 'pending', at: new Date().toISOString() };
    const event = aNewEvent('PaymentRequestFailed', { ...data, ...OLD });
    const written = { ...event, metadata: { ...event.metadata, schema: 1 } };
    expect(await store.append(`payment_request-${requestId}`, 1, [written])).toMatchObject({ kind: 'appended' });
    await isReadable();
  });
  afterAll(async () => {
    UPCASTS.delete('PaymentRequestFailed');
    await service.stopAndForget();
    await dns.close();
  });

  const read = (path: string, { headers }: Pick<PaymentScene, 'headers'> = scene) =>
    call(`${service.url}/v1/${path}`, { headers });
  const isReadable = () =>
    eventually(
      () => read(`payment-requests/${requestId}`),
      ({ body }) => body.payment_request?.status === 'failed',
      'the failure',
    );

  it('has the new shape in folds', async () => {
    const { state } = await service.app.get(CommandRunner).fold(paymentRequest, requestId);
    expect(state).toMatchObject({ status: 'failed', reason: 'no funds' });
  });

  it('has it in documents, even when they are rebuilt', async () => {
    const before = (await read(`payment-requests/${requestId}`)).body.payment_request;
    expect(before).toMatchObject({ status: 'failed', reason: 'no funds' });
    await service.app.get<ReadModelStore>(READ_MODEL_STORE).reset('built by nobody we know');
    await service.stop();
    service = await start({ env, dataDir: service.dataDir });
    await isReadable();
    expect((await read(`payment-requests/${requestId}`)).body.payment_request).toEqual(before);
  });

  it('has it in what merchants, wallets and agents read', async () => {
    const { body } = await read('events?since=0', scene.merchant);
    const told = body.events.find(({ type }: { type: string }) => type === 'payment_request.failed');
    expect(told.data).toMatchObject({ data: { reason: 'no funds' }, payment_request: { reason: 'no funds' } });
    const polled = (await read('payment-requests/events?since=0')).body.events.at(-1);
    expect(polled).toMatchObject({ status: 'failed', data: { reason: 'no funds' } });
    const { timeline } = (await read(`payment-requests/${requestId}/timeline`)).body;
    expect(timeline.at(-1)).toMatchObject({ summary: 'The payment failed: no funds.', data: { reason: 'no funds' } });
  });

  it('has it for auditors, while proofs cover what is on disk', async () => {
    const shown = await allAuditEvents(service, scene.merchant, 'PaymentRequestFailed');
    const { event } = shown.find((one) => one.event.type === 'PaymentRequestFailed');
    expect(event.data).toMatchObject(OLD);
    expect(event.data).not.toHaveProperty('reason');
    const answer = await eventually(
      () => proofOf(service, scene.merchant, requestId),
      ({ status, body }) => status === 200 && JSON.stringify(body).includes('PaymentRequestFailed'),
      'a proof',
    );
    const proof = answer.body.proof as PaymentProof;
    expect(checkProof(proof)).toMatchObject({ ok: true, problems: [] });
    const proven = proof.events.find((one) => one.event.type === 'PaymentRequestFailed');
    expect(proven?.event.data).toMatchObject(OLD);
    expect(Buffer.from(leafHash(proven?.event ?? event))).toEqual(Buffer.from(leafHash(event)));
  });

  it('has it in the audit command, which finds nothing wrong with the log and the documents', async () => {
    const { lines } = await auditHere(service.settings, ['timeline', requestId]);
    expect(lines.at(-1)).toContain('The payment failed: no funds.');
    expect(await auditHere(service.settings, ['verify'])).toMatchObject({ code: 0 });
  });
});
