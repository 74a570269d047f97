import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rateLimits } from '../src/http/server/rate-limits';
import { newId } from '../src/kernel/ids';
import { type ServiceProcess, spawnService } from './support/child';
import { registerDevice } from './support/devices';
import { call } from './support/http';
import { signUpMerchant } from './support/merchant';
import { startTestService } from './support/service';
import { useServiceWithDns } from './support/use-service';

describe('operations', () => {
  describe('rate limits', () => {
    let now = Date.parse('2030-01-01T00:00:00Z');
    const { service, dns } = useServiceWithDns({ env: { RATE_LIMITS: 'on' }, clock: { now: () => new Date(now) } });

    const register = () => call(`${service.url}/v1/wallet-devices`, { body: { name: 'x' } });

    it('count down, answer 429 with Retry-After, and reset', async () => {
      const first = await register();
      const limit = Number(first.headers.get('ratelimit-limit'));
      expect(first.headers.get('ratelimit-remaining')).toBe(String(limit - 1));
      const rest = await Promise.all(Array.from({ length: limit - 1 }, register));
      expect(rest.every(({ status }) => status === 201)).toBe(true);

      const over = await register();
      expect([over.status, over.body.error.code]).toEqual([429, 'rate_limited']);
      expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(over.headers.get('ratelimit-remaining')).toBe('0');

      now += 60_000;
      expect((await register()).status).toBe(201);
    });

    it('are tighter where a call is a guess, or makes us call somebody else', async () => {
      const merchant = await signUpMerchant(service, { dns });
      const device = await registerDevice(service);
      const limits = [];
      for (const [path, headers, body] of [
        ['pairing/sessions?code=ABCDEFGH', device.headers, undefined],
        [`merchant-domains/${newId('dom')}/verify`, merchant.headers, {}],
        [`webhook-endpoints/${newId('whe')}/verify`, merchant.headers, {}],
        [`webhook-endpoints/${newId('whe')}/test`, merchant.headers, {}],
      ] as const) {
        const { status, headers: told } = await call(`${service.url}/v1/${path}`, { headers, ...(body && { body }) });
        limits.push([status, told.get('ratelimit-limit')]);
      }
      const { pairing_code: guesses, domain_proof: calls } = rateLimits;
      expect(limits).toEqual([guesses, calls, calls, calls].map((limit) => [404, String(limit)]));
      expect([guesses, calls]).toEqual([30, 30]);
    });

    it('do not affect monitoring', async () => {
      const { headers, status } = await call(`${service.url}/health`);
      expect(status).toBe(200);
      expect(headers.get('ratelimit-limit')).toBeNull();
    });
  });

  describe('metrics', () => {
    it('are public without a token and protected with one', async () => {
      const open = await startTestService();
      await call(`${open.url}/v1/errors`);
      const text = (await call(`${open.url}/metrics`)).text;
      expect(text).toMatch(
        /svc_http_request_duration_seconds_count\{method="GET",route="\/v1\/errors",status="200"\} 1/,
      );
      expect(text).toMatch(/svc_projection_lag_seconds 0/);
      await open.stopAndForget();

      const closed = await startTestService({ env: { METRICS_TOKEN: 'watchman' } });
      const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
      expect((await call(`${closed.url}/metrics`)).status).toBe(401);
      expect((await call(`${closed.url}/metrics`, bearing('thief'))).status).toBe(401);
      expect((await call(`${closed.url}/metrics`, bearing('watchman'))).status).toBe(200);
      await closed.stopAndForget();
    });
  });

  describe('the process', () => {
    // One service for these, because each start takes a second of processor time.
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-process-'));
    let running: ServiceProcess;
    const stop = async (): Promise<void> => {
      running.child.kill('SIGTERM');
      await running.ended;
    };
    beforeAll(async () => {
      running = await spawnService({ DATA_DIR: dataDir });
    });
    afterAll(async () => {
      running.child.kill('SIGKILL');
      await running.ended;
      rmSync(dataDir, { recursive: true, force: true });
    });

    it('finds everything again after a restart', async () => {
      const { body } = await call(`${running.url}/v1/wallet-devices`, { body: { name: 'Phone' } });
      await stop();
      running = await spawnService({ DATA_DIR: dataDir });
      const id = body.device.device_id as string;
      const read = await call(`${running.url}/v1/wallet-devices/${id}?device_id=${id}&token=${body.device_token}`);
      expect(read.body.device).toEqual(body.device);
    });

    it('does not start with an invalid setting, and names it in one line', async () => {
      await expect(spawnService({ LOG_LEVEL: 'loud' })).rejects.toThrow(
        /^ended with 1: svc: LOG_LEVEL must be [^\n]*\n$/,
      );
    });

    it('does not start on a data directory that is in use', async () => {
      await expect(spawnService({ DATA_DIR: dataDir })).rejects.toThrow(/^ended with 1: svc: [^\n]*\n$/);
    });

    it('does not start on a corrupt store', async () => {
      await stop();
      writeFileSync(join(dataDir, 'events', 'events.mdb'), 'garbage');
      await expect(spawnService({ DATA_DIR: dataDir })).rejects.toThrow(/^ended with 1: svc: [^\n]*events[^\n]*\n$/);
    });
  });
});
