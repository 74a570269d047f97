import { registerDevice } from './support/devices';
import { figure, progress, sizeFrom, timeLimit } from './support/figures';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, readPayment } from './support/payments';
import { useScene } from './support/use-service';

/** 10000 in a full-size run. */
const WRITES = sizeFrom('CHAOS_WRITES', 80);
const AT_ONCE = 16;

describeOnEachPair('a caller whose write was acknowledged', (start) => {
  const { service, scene } = useScene({ start, env: { LOG_LEVEL: 'silent' } });

  const writes = [
    async (): Promise<number> => {
      const { body } = await createPayment(service, scene);
      return (await readPayment(service, scene, body.payment_request.request_id as string)).status;
    },
    async (): Promise<number> => {
      const { deviceId, headers } = await registerDevice(service);
      return (await call(`${service.url}/v1/wallet-devices/${deviceId}`, { headers })).status;
    },
  ];

  it(
    `reads it at once (${WRITES} times)`,
    async () => {
      const statuses: number[] = [];
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < WRITES) {
          // Three payments per device.
          const write = writes[next++ % 4 === 3 ? 1 : 0] as () => Promise<number>;
          statuses.push(await write());
          progress(statuses.length, WRITES);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      const lost = statuses.filter((status) => status !== 200);
      figure({ promise: 'read your own write', tried: statuses.length, lost: lost.length, doubled: 0 });
      expect(lost).toEqual([]);
      expect(statuses).toHaveLength(WRITES);
    },
    timeLimit(60_000),
  );
});
