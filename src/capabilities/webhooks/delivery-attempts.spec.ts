import { Registry } from 'prom-client';
import { context, DeliveryAttempts, type Target } from './delivery-attempts';
import { type Attempt } from './webhook-delivery';

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
