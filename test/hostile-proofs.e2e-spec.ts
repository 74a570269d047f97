import { type DnsResponder } from './support/dns-responder';
import { figure, sizeFrom, timeLimit } from './support/figures';
import { call } from './support/http';
import { measureCalls } from './support/other-callers';
import { createPayment, type PaymentScene, reportPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';

/** 3,000 in a full-size run. */
const PAUSES = sizeFrom('HOSTILE_PAUSES', 60);
const AT_ONCE = 6;

describe('proofs of a request whose connection was paused and resumed many times', () => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let requestId: string;

  const switchTo = (status: string): ReturnType<typeof call> =>
    call(`${service.url}/v1/connections/${scene.connection.connectionId}`, {
      method: 'PATCH',
      headers: scene.device.headers,
      body: { status },
    });
  const pauseAndResume = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1)
      for (const status of ['paused', 'active']) expect((await switchTo(status)).status).toBe(200);
  };

  beforeAll(async () => {
    const started = await startPaymentDns();
    dns = started.dns;
    service = await startTestService({ env: started.env });
    scene = await setPaymentScene(service, dns);
    await pauseAndResume(PAUSES / 2);
    requestId = (await createPayment(service, scene)).body.payment_request.request_id as string;
    await pauseAndResume(PAUSES / 2);
    await reportPayment(service, scene, requestId, { status: 'rejected' });
    await pauseAndResume(2);
  }, timeLimit(120_000));
  afterAll(async () => {
    await service.stop();
    await dns.close();
  });

  const prove = (): ReturnType<typeof call> =>
    call(`${service.url}/v1/payment-requests/${requestId}/proof`, { headers: scene.device.headers });

  it('show the state of the connection while the request was open, not how often it changed', async () => {
    const { body } = await prove();
    const events = body.proof.events as { event: { stream: string; type: string } }[];
    const ofConnection = events
      .filter(({ event }) => event.stream.startsWith('connection-'))
      .map(({ event }) => event.type);
    expect(ofConnection.slice(0, 2)).toEqual(['ConnectionCreated', 'ConnectionResumed']);
    expect(ofConnection).toHaveLength(2 + Math.min(20, PAUSES));
    expect(events.at(-1)?.event.type).toBe('PaymentRequestRejected');
    expect(body.proof.pending).toBe(0);
  });

  it(
    'do not slow down other callers',
    async () => {
      const others = (): ReturnType<typeof measureCalls> => measureCalls(100, () => createPayment(service, scene));
      const before = await others();
      let over = false;
      const times: number[] = [];
      const provers = Array.from({ length: AT_ONCE }, async () => {
        while (!over) {
          const begun = performance.now();
          expect((await prove()).status).toBe(200);
          times.push(performance.now() - begun);
        }
      });
      const during = await others().finally(() => (over = true));
      await Promise.all(provers);
      const slowest = Math.round(Math.max(...times));
      process.stdout.write(`${JSON.stringify({ row: 'proofs', PAUSES, before, during, slowestProofMs: slowest })}\n`);
      figure({
        promise: 'others are served beside proofs of a long agreement',
        tried: PAUSES,
        lost: 100 - (during.statuses['201'] ?? 0),
        doubled: 0,
        slowestMs: during.longest,
      });
      expect(during.statuses).toEqual({ 201: 100 });
    },
    timeLimit(120_000),
  );
});
