import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit } from './support/audit-command';
import { spawnService } from './support/child';
import { freePort } from './support/free-port';
import { createPayment, reportPayment, setPaymentScene, startPaymentDns } from './support/payments';

/** 50 in a full-size run. */
const ROUNDS = Number(process.env['CHAOS_RUNS'] ?? 2);

describe('verify, after a service was killed repeatedly while it worked', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-verify-chaos-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('finds nothing wrong', async () => {
    const { dns, env } = await startPaymentDns();
    const settings = { ...env, DATA_DIR: dataDir, BASE_URL: 'http://svc.test', PORT: String(await freePort()) };
    let service = await spawnService(settings);
    const at = () => ({ url: service.url, dataDir });
    const scene = await setPaymentScene(at(), dns);
    for (let round = 0; round < ROUNDS; round += 1) {
      let answered = 0;
      const work = Array.from({ length: 40 }, async (_, index) => {
        const { body } = await createPayment(at(), scene, { idempotency_key: `${round}-${index}` });
        answered += 1;
        if (answered === 15 + round) service.child.kill('SIGKILL');
        const id = body['payment_request']?.request_id as string;
        if (index % 2 === 0) await reportPayment(at(), scene, id, { status: 'signed' });
      });
      await Promise.allSettled(work);
      await service.ended;
      service = await spawnService(settings);
    }
    const { code, lines } = await audit(settings, ['verify']);
    expect([code, lines.filter((line) => !line.startsWith('holds'))]).toEqual([
      0,
      [expect.stringMatching(/--key/), expect.stringMatching(/0 finding/)],
    ]);
    service.child.kill('SIGTERM');
    await service.ended;
    await dns.close();
  }, 600_000);
});
