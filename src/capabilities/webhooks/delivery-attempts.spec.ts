import { Registry } from 'prom-client';
import { EgressError } from '../../platform/egress/egress-error';
import { answeredBy, context, DeliveryAttempts, type Target } from './delivery-attempts';
import { type Attempt } from './webhook-delivery';
import { type Message } from './webhook-sender';

describe('an endpoint that answers that it is gone', () => {
  it('is disabled once for that, however often its outcome has to be recorded', async () => {
    const ran: string[] = [];
    const run = async ({ category }: { category: string }): Promise<unknown> => {
      ran.push(category);
      if (category === 'webhook_delivery' && ran.length < 6) throw new Error('a defect');
      return { events: [], position: 7n };
    };
    const retryUntilRecorded = async (_: string, write: () => Promise<unknown>): Promise<unknown> => {
      for (;;) {
        try {
          return await write();
        } catch {
          continue;
        }
      }
    };
    const given = [{ run }, {}, {}, { retryUntilRecorded }, {}, {}, { now: () => new Date(0) }, { holds: () => true }];
    const attempts = new DeliveryAttempts(
      ...([...given, { registry: new Registry() }] as unknown as ConstructorParameters<typeof DeliveryAttempts>),
    );
    const endpoint = { merchantId: 'mer_1', url: 'https://a.example/' };
    const target = { endpointId: 'whe_1', endpoint } as unknown as Target;
    const command = { kind: 'record-attempt', number: 1, attempt: { statusCode: 410 } as Attempt } as const;
    const signal = new AbortController().signal;
    expect(await attempts.record(target, 'whd_1', command, context(), signal)).toBe(7n);
    // The merchant may have enabled it in the meantime.
    expect(ran.filter((category) => category === 'webhook_endpoint')).toHaveLength(1);
  });
});

it('an instance that has lost the endpoint meanwhile neither sends to it nor disables it', async () => {
  let holds = true;
  const ran: object[] = [];
  const commands = { run: async (_: unknown, __: string, command: object) => void ran.push(command) };
  // As if the process had been paused just before the message left.
  const send = async ({ stillWanted }: Message) => {
    holds = false;
    if (stillWanted?.() === false) throw new EgressError('cancelled', 'nobody wants it sent any more');
    return { status: 204, headers: {} };
  };
  const given = [commands, { send }, {}, {}, { attemptMs: 1 }, {}, { now: () => new Date(0) }, { holds: () => holds }];
  const attempts = new DeliveryAttempts(
    ...([...given, { registry: new Registry() }] as unknown as ConstructorParameters<typeof DeliveryAttempts>),
  );
  const target = { endpointId: 'whe_1', endpoint: { merchantId: 'mer_1', url: 'https://shop.example' } } as const;
  const posted = { messageId: 'whd_1', body: '{}', cursor: 1 };
  const { signal } = new AbortController();
  expect(await attempts.post(target as unknown as Target, posted, signal)).toBe('cancelled');
  await attempts.disable(target.endpointId, target.endpoint, 'failing');
  expect(ran).toEqual([]);
});

describe('another attempt at a delivery', () => {
  const now = '2030-01-01T00:00:00.000Z';
  const waiting = { status: 'pending', dueAt: now, attempts: 1, scheduled: { body: '{}', cursor: 7, event_type: 't' } };
  const sentFor = async (state: object | null): Promise<object[]> => {
    const sent: object[] = [];
    const commands = { fold: async () => ({ state, eventId: null }) };
    const sender = { send: async (message: object) => (sent.push(message), { status: 204, headers: {} }) };
    const recording = { retryUntilRecorded: async () => 7n };
    const given = [commands, sender, {}, recording, {}, {}, { now: () => new Date(now) }, { holds: () => true }];
    const attempts = new DeliveryAttempts(
      ...([...given, { registry: new Registry() }] as unknown as ConstructorParameters<typeof DeliveryAttempts>),
    );
    const target = { endpointId: 'whe_1', endpoint: {} } as unknown as Target;
    const result = await attempts.retry(
      target,
      { deliveryId: 'whd_1', dueAt: undefined },
      new AbortController().signal,
      () => undefined,
    );
    expect(result.recorded).toBe(sent.length === 0 ? undefined : 7n);
    return sent;
  };

  it('is made when it is due', async () =>
    expect(await sentFor(waiting)).toMatchObject([{ messageId: 'whd_1', body: '{}', cursor: 7 }]));
  // What is due is read from a read model, which may lag behind the log.
  it.each([
    ['delivered', { ...waiting, status: 'succeeded' }],
    ['cancelled', { ...waiting, status: 'cancelled' }],
    ['not due yet', { ...waiting, dueAt: '2030-01-01T00:00:00.001Z' }],
    ['unknown', null],
  ])('is not made if by the log it is %s', async (_, state) => expect(await sentFor(state)).toEqual([]));
});

it.each([
  [204, 'accepted'],
  [400, 'neutral'],
  [410, 'neutral'],
  [499, 'neutral'],
  [408, 'overloaded'],
  [429, 'overloaded'],
  [500, 'overloaded'],
  [302, 'overloaded'],
  [null, 'overloaded'],
] as const)('the answer %s says of the receiver’s load: %s', (statusCode, expected) =>
  expect(answeredBy({ succeeded: statusCode === 204, statusCode } as Attempt)).toBe(expected),
);
