import { call } from './support/http';
import { startTestService, type TestService } from './support/service';

const LIMIT = 300;

describe('callers behind a proxy', () => {
  const services: TestService[] = [];
  afterAll(() => Promise.all(services.map((service) => service.stopAndForget())));

  /** How many calls of each address were refused; all come through the same proxy. */
  async function refusedOf(env: Readonly<Record<string, string>>): Promise<readonly number[]> {
    const service = await startTestService({ env: { RATE_LIMITS: 'on', ...env } });
    services.push(service);
    const refused: number[] = [];
    for (const [address, calls] of [
      ['203.0.113.7', LIMIT + 5],
      ['203.0.113.8', 5],
    ] as const) {
      const headers = { 'x-forwarded-for': `198.51.100.1, ${address}` };
      const ask = (): ReturnType<typeof call> => call(`${service.url}/v1/errors`, { headers });
      const answers = await Promise.all(Array.from({ length: calls }, ask));
      refused.push(answers.filter(({ status }) => status === 429).length);
    }
    return refused;
  }

  it.each([[{ TRUST_PROXY: '1' }], [{ TRUST_PROXY: '127.0.0.0/8' }]])(
    'are told apart by the address it forwards, with %j',
    async (env) => expect(await refusedOf(env)).toEqual([5, 0]),
    60_000,
  );

  it.each([[{}], [{ TRUST_PROXY: '10.0.0.0/8' }]])(
    'count as one caller if the proxy is not trusted, with %j',
    async (env) => expect(await refusedOf(env)).toEqual([5, 5]),
    60_000,
  );
});
