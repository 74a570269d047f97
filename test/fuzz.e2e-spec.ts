import { KINDS } from './fuzz/corpora';
import { openCredentialDesk } from './fuzz/credential-desk';
import { readOperations } from './fuzz/document';
import { exchange } from './fuzz/raw-http';
import { runCorpora } from './fuzz/run-corpora';
import { idsOn, setStage } from './fuzz/target';
import { BASE_URL } from './support/agents';
import { registerDevice } from './support/devices';
import { call } from './support/http';
import { seededRandom, seedFrom } from './support/seeded';
import { useServiceWithDns } from './support/use-service';

const CASES = 400;

/** The short form of `npm run fuzz`: our own corpora only. Repeat a run with FUZZ_SEED. */
describe('hostile requests', () => {
  const { service, dns } = useServiceWithDns({ env: { LOG_LEVEL: 'warn' } });

  it('get a documented response, never a server error', async () => {
    const { url, dataDir } = service;
    const stage = await setStage({ url, dataDir, dns, baseUrl: BASE_URL });
    const desk = await openCredentialDesk(service, stage);
    const random = seededRandom(seedFrom('FUZZ_SEED'));
    const material = { operations: await readOperations(url), credentials: await desk.all(), ids: idsOn(stage) };
    const report = await runCorpora(url, random, material, { cases: seedFrom('FUZZ_CASES') ?? CASES });
    await desk.close();
    expect({ seed: random.seed, findings: report.findings }).toEqual({ seed: random.seed, findings: [] });
    expect([...report.byKind.keys()].sort()).toEqual([...KINDS].sort());
    // A generator whose requests are all refused would find nothing.
    expect(report.byStatus.get(200)).toBeGreaterThan(10);
  });

  it('without a host are refused in the envelope', async () => {
    const bytes = Buffer.from('GET /health HTTP/1.1\r\nConnection: close\r\n\r\n');
    const answer = await exchange(service.url, { method: 'GET', target: '/health', headers: [], bytes });
    expect(answer?.status).toBe(400);
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({ ok: false, error: { code: 'malformed_request' } });
  });

  it('with an unknown expectation are answered as if it were absent', async () => {
    const answer = await exchange(service.url, { method: 'GET', target: '/health', headers: [['Expect', 'nonsense']] });
    expect(answer?.status).toBe(200);
  });

  it.each(['payment-requests', 'agent-payments'])(
    'with a status that cannot be converted to text are refused by %s',
    async (kind) => {
      const { headers } = await registerDevice(service);
      const body = { status: { toString: 'x', valueOf: 1 } };
      const { status } = await call(`${service.url}/v1/${kind}/pr_01JZ5Y0W3X0000000000000000/status`, {
        headers,
        body,
      });
      expect(status).toBe(400);
    },
  );

  it('with device fields of another type next to a valid header are refused', async () => {
    const { headers } = await registerDevice(service);
    const { body } = await call(`${service.url}/v1/connect-keys`, { headers, body: { device_id: 5, token: {} } });
    expect(body.error.issues).toEqual([
      { code: 'wrong_type', field: 'device_id', message: 'must be a string' },
      { code: 'wrong_type', field: 'token', message: 'must be a string' },
    ]);
  });

  it('with a wrong method are told the methods of that exact path', async () => {
    const answer = await exchange(service.url, { method: 'PUT', target: '/v1/connect-invitations/claim', headers: [] });
    expect([answer?.status, answer?.headers['allow']]).toEqual([405, 'POST']);
  });
});
