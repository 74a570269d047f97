import { registerDevice } from './support/devices';
import { type Answer, call } from './support/http';
import { signUpMerchant } from './support/merchant';
import { useServiceWithDns } from './support/use-service';

type Operation = Readonly<{ security?: readonly Readonly<Record<string, unknown>>[] }>;

describe('identity that a request claims', () => {
  const { service, dns } = useServiceWithDns();

  const claims = ({ body }: Answer): unknown =>
    (body.error?.issues ?? body.error?.details?.issues ?? [])
      .filter(({ code }: Readonly<{ code: string }>) => code === 'identity_not_accepted')
      .map(({ field }: Readonly<{ field: string }>) => field);

  const issueCount = ({ body }: Answer): number =>
    ((body.error?.issues ?? body.error?.details?.issues ?? []) as readonly unknown[]).length;

  /** Every operation that accepts this credential, with ids that do not exist. */
  async function operationsFor(scheme: string | undefined): Promise<readonly (readonly [string, string])[]> {
    const { paths } = (await call(`${service.url}/openapi.json`)).body as {
      paths: Record<string, Record<string, Operation>>;
    };
    return Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { security = [] }]) =>
          scheme === undefined ? security.length === 0 : security.some((one) => scheme in one),
        )
        .map(([method]) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'none')] as const),
    );
  }

  it.each([
    ['session', 30],
    ['device', 14],
    [undefined, 7],
  ])('is refused in a body by every route of %s, whether the body is read or not', async (scheme, atLeast) => {
    const { headers } =
      scheme === 'session' ? await signUpMerchant(service, { dns }) : await registerDevice(service, 'Phone');
    const changing = (await operationsFor(scheme)).filter(([method]) => method !== 'GET');
    expect(changing.length).toBeGreaterThanOrEqual(atLeast);
    for (const [method, path] of changing) {
      const body = { tenant_id: 'mer_1', merchantId: 'mer_1' };
      const parts = { method, body, ...(scheme ? { headers } : {}) };
      const answer = await call(service.url + path, parts);
      expect([method, path, answer.status, claims(answer)]).toEqual([method, path, 400, ['tenant_id', 'merchantId']]);
      // With one in the query as well, all of them are listed, along with what else is wrong with the body.
      const all = await call(`${service.url}${path}?merchant_id=mer_1`, parts);
      expect([method, path, all.status, claims(all)]).toEqual([
        method,
        path,
        400,
        ['tenant_id', 'merchantId', 'merchant_id'],
      ]);
      expect(issueCount(all)).toBe(issueCount(answer) + 1);
    }
  });

  it('is refused in a query too, even if nothing reads it', async () => {
    const { headers } = await signUpMerchant(service, { dns });
    const current = `${service.url}/v1/merchants/current`;
    expect(claims(await call(`${current}?merchant_id=mer_1`, { headers }))).toEqual(['merchant_id']);
    expect((await call(`${current}?colour=red`, { headers })).status).toBe(200);
  });

  it('is reported together with a private key, but only after the credential', async () => {
    const { headers } = await signUpMerchant(service, { dns });
    const end = (given: Readonly<Record<string, string>>) =>
      call(`${service.url}/v1/merchant-sessions/current`, {
        method: 'DELETE',
        headers: given,
        body: { agent_id: 'agt_1', private_key: 'x' },
      });
    expect((await end({})).status).toBe(401);
    expect((await end(headers)).body.error.issues.map(({ code }: Readonly<{ code: string }>) => code)).toEqual([
      'identity_not_accepted',
      'secret_not_accepted',
    ]);
    expect((await call(`${service.url}/v1/merchant-sessions/current`, { headers })).status).toBe(200);
  });
});
