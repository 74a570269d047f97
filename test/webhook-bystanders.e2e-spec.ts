import { type ServerResponse } from 'node:http';
import { DeliveryLimits } from '../src/capabilities/webhooks/delivery-limits';
import { eventually } from './support/eventually';
import { createPayment } from './support/payments';
import { useWebhookScene } from './support/use-service';
import { activeEndpoint, answering, type Behaviour, deliveriesOf } from './support/webhook-receiver';

const BAD = 4;
const ROOM = 8;
const EVENTS = 6;

/** Four endpoints hold what they are sent, and could together hold more than there is room for. A fifth responds. */
describe('an endpoint that responds at once', () => {
  const { service, scene, receiver } = useWebhookScene();
  const held: ServerResponse[] = [];

  const toFine = () => receiver.received.filter(({ path }) => path === '/hook/fine');
  const badOnes =
    (behaviour: Behaviour): Behaviour =>
    (message, request, response) =>
      (message.path === '/hook/fine' ? answering(204) : behaviour)(message, request, response);
  const holding = badOnes((_message, _request, response) => void held.push(response));
  const release = (): void => held.splice(0).forEach((response) => response.writeHead(204).end());

  beforeAll(async () => {
    Object.assign(service.app.get(DeliveryLimits), { overall: ROOM, attemptMs: 600_000 });
    for (let made = 0; made < BAD; made += 1) await activeEndpoint(service, scene.merchant, `${receiver.url}/bad`);
    await activeEndpoint(service, scene.merchant, `${receiver.url}/fine`);
  });
  afterEach(() => {
    receiver.behave(answering(204));
    release();
  });

  /** Every event goes to all five; nothing is released meanwhile. */
  async function expectNoDelay(): Promise<void> {
    const before = toFine().length;
    for (let made = 0; made < EVENTS; made += 1) await createPayment(service, scene);
    await eventually(
      async () => toFine().length,
      (count) => count === before + EVENTS,
      'all events at the one that responds',
    );
  }

  it('is not delayed by those that are slow, even if they accept everything in the end', async () => {
    receiver.behave(holding);
    await expectNoDelay();
    receiver.behave(answering(204));
    release();
    await eventually(
      () => deliveriesOf(service, scene.merchant, 'status=pending'),
      ({ length }) => length === 0,
      'the slow ones to have accepted everything',
    );
  });

  it('is not delayed by those that fail', async () => {
    receiver.behave(badOnes(answering(500)));
    await createPayment(service, scene);
    await eventually(
      () => deliveriesOf(service, scene.merchant, 'status=pending'),
      (waiting) => waiting.length >= BAD && waiting.every(({ attempt_count }) => attempt_count > 0),
      'the others to have failed',
    );
    receiver.behave(holding);
    await expectNoDelay();
    await eventually(
      async () => held.length,
      (count) => count >= ROOM / 2,
      'their share to be taken',
    );
    expect(held.length).toBe(ROOM / 2);
  });
});
