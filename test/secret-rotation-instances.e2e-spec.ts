import { eventually } from './support/eventually';
import { Instances } from './support/instances';
import { describeWithMongo } from './support/mongodb';
import { registerDevice } from './support/devices';
import { call } from './support/http';
import { secretHere } from './support/secret-command';

const secret = (letter: string): string => `only-for-tests-${letter.repeat(40)}`;

describeWithMongo('an instance that keeps running while the service secret is rotated', (mongoUrl) => {
  it('prevents the rotation if it does the background work, and exits if it only answers calls', async () => {
    const instances = await Instances.open(mongoUrl, { SERVICE_SECRET: secret('a') });
    try {
      const worker = await instances.add({ ROLE: 'worker' });
      const api = await instances.add({ ROLE: 'api' });
      const device = await registerDevice(api);
      const rotate = () => secretHere({ ...instances.settings, NEW_SERVICE_SECRET: secret('b') }, ['rotate']);
      const refused = await rotate();
      expect([refused.code, refused.notes]).toEqual([3, expect.stringContaining('stop it first')]);
      await instances.stop(worker, 'SIGTERM');
      expect(await rotate()).toMatchObject({ code: 0, notes: '' });

      const next = await instances.add({ SERVICE_SECRET: secret('b') });
      // Checked one after another, so that an instance that keeps running is stopped at the end of this test.
      const codes: (number | null)[] = [];
      void api.ended.then((code) => codes.push(code));
      const hasEnded = (ended: readonly unknown[]): boolean => ended.length > 0;
      expect(await eventually(async () => codes, hasEnded, 'the end of the instance with the old secret')).toEqual([1]);
      expect(api.output()).toContain('SERVICE_SECRET was replaced by another; start with the new one');
      const { status } = await call(`${next.url}/v1/wallet-devices/${device.deviceId}`, { headers: device.headers });
      expect(status).toBe(200);
    } finally {
      await instances.close();
    }
  }, 120_000);
});
