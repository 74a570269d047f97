import { mustBe } from './support/connections';
import { type Answer, call } from './support/http';
import { createPayment, reportPayment } from './support/payments';
import { useScene } from './support/use-service';

const HOUR_MS = 3_600_000;

describe('a record as of a moment, where the clock was set back by an hour', () => {
  let time = Date.parse('2030-01-01T00:00:00.000Z');
  const { service, scene } = useScene({ clock: { now: () => new Date(time) } });

  const create = async (): Promise<string> => {
    time += 1_000;
    return mustBe(201, await createPayment(service, scene)).body['payment_request'].request_id as string;
  };
  const asOf = (id: string, moment: number): Promise<Answer> => {
    const { headers } = scene.merchant;
    return call(`${service.url}/v1/payment-requests/${id}?as_of=${new Date(moment).toISOString()}`, { headers });
  };

  it('is as it is now if that moment is now, and is not there before it was made', async () => {
    time += 3 * HOUR_MS;
    const [untouched, signed] = [await create(), await create()];
    time -= HOUR_MS;
    mustBe(200, await reportPayment(service, scene, signed, { status: 'signed' }));
    expect((await asOf(signed, time)).body['payment_request'].status).toBe('signed');
    expect((await asOf(signed, time - 1)).status).toBe(404);
    expect((await asOf(untouched, time)).body['payment_request'].status).toBe('pending');
    time += 1;
    expect((await asOf(untouched, time - 1)).status).toBe(404);
  });
});
