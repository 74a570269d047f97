import { subjectOf } from '../src/platform/secrets/bound-tokens';
import { type Answer, call } from './support/http';
import { grantFor, type Operator, signIn, signUpMerchant, signUpPendingMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

const HOUR = 3_600_000;

type Listed = Readonly<{ session_id: string; is_current: boolean; merchant_name: string; delivery: string }>;

describeOnEachPair('an operator’s own sessions', (start) => {
  let now = Date.parse('2030-01-01T00:00:00.000Z');

  const { service, dns } = useServiceWithDns({ start, clock: { now: () => new Date(now) } });

  const at = (path = ''): string => `${service.url}/v1/merchant-sessions${path}`;
  const idOf = ({ cookie }: Pick<Operator, 'cookie'>): string =>
    subjectOf('session', 'ses', cookie.split('=')[1] ?? '') ?? '';
  const again = async ({ email }: Operator): Promise<Operator> => {
    now += 1_000;
    const { grant, merchants } = await grantFor(service, email);
    return signIn(service, email, { grant, choice: merchants[0]?.choice });
  };
  const list = async ({ headers }: Pick<Operator, 'headers'>, query = ''): Promise<readonly Listed[]> => {
    const { status, body } = await call(at(query), { headers });
    expect(status).toBe(200);
    return body.sessions as readonly Listed[];
  };
  const end = (id: string, { headers }: { headers: Readonly<Record<string, string>> }): Promise<Answer> =>
    call(at(`/${id}`), { method: 'DELETE', headers });
  const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
  const works = async ({ headers }: Operator): Promise<boolean> =>
    (await call(at('/current'), { headers })).status === 200;

  it('are listed, newest first, with the current one marked and nothing that could be used to sign in', async () => {
    const first = await signUpMerchant(service, { dns, name: 'Our shop' });
    const second = await again(first);
    now += 1_000;
    const { grant, merchants } = await grantFor(service, first.email);
    const program = { grant, choice: merchants[0]?.choice, delivery: 'bearer' };
    const token = (await call(at(), { body: program })).body.session_token as string;
    const { body, text } = await call(at(), { headers: second.headers });
    expect(body.next_cursor).toBeNull();
    expect(body.sessions.map(({ delivery, is_current }: Listed) => [delivery, is_current])).toEqual([
      ['bearer', false],
      ['cookie', true],
      ['cookie', false],
    ]);
    expect(body.sessions[1]).toEqual({
      session_id: idOf(second),
      merchant_id: first.merchantId,
      merchant_name: 'Our shop',
      delivery: 'cookie',
      opened_at: new Date(now - 1_000).toISOString(),
      expires_at: new Date(now - 1_000 + 8 * HOUR).toISOString(),
      is_current: true,
    });
    for (const secret of [first.cookie, second.cookie, `=${token}`].map((pair) => pair.split('=')[1] ?? '')) {
      expect(secret.length).toBeGreaterThan(10);
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/hash|svc_ms_/);
  });

  it('are listed page by page, and no longer once they have expired', async () => {
    const first = await signUpPendingMerchant(service);
    const others = [await again(first), await again(first)];
    const ids = [...others].reverse().concat(first).map(idOf);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body }: Answer = await call(at(query), { headers: first.headers });
      seen.push(...(body.sessions as Listed[]).map(({ session_id }) => session_id));
      cursor = body.next_cursor as string | null;
    }
    expect(seen).toEqual(ids);
    now += 7 * HOUR;
    const last = await again(first);
    now += HOUR;
    expect((await list(last)).map(({ session_id }) => session_id)).toEqual([idOf(last)]);
  });

  it('are ended one by one, including the current one, and ending one twice is harmless', async () => {
    const first = await signUpPendingMerchant(service);
    const second = await again(first);
    const ended = await end(idOf(first), second);
    expect([ended.status, ended.body]).toEqual([200, { ok: true, session: { status: 'ended' } }]);
    expect(ended.headers.get('set-cookie')).toBeNull();
    expect([await works(first), await works(second)]).toEqual([false, true]);
    expect((await end(idOf(first), second)).status).toBe(200);
    expect((await list(second)).map(({ session_id }) => session_id)).toEqual([idOf(second)]);
    const own = await end(idOf(second), second);
    expect([own.status, own.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('svc_session=;')]);
    expect(await works(second)).toBe(false);
  });

  it('are all ended, even those that had expired by a clock that is then set back', async () => {
    const first = await signUpPendingMerchant(service);
    now += 9 * HOUR;
    const second = await again(first);
    expect([await works(first), await works(second)]).toEqual([false, true]);
    expect((await call(at(), { method: 'DELETE', headers: second.headers })).status).toBe(200);
    now -= 9 * HOUR;
    expect([await works(first), await works(second)]).toEqual([false, false]);
    now += 9 * HOUR;
  });

  it('belong to the operator alone: another’s are not listed, not ended, and look like unknown ones', async () => {
    const [ours, theirs] = [await signUpPendingMerchant(service), await signUpPendingMerchant(service)];
    expect((await list(ours)).map(({ session_id }) => session_id)).toEqual([idOf(ours)]);
    const same = { headers: { ...ours.headers, 'x-request-id': 'same' } };
    const [known, unknown] = [await end(idOf(theirs), same), await end('ses_01JZ5Y0W3X0000000000000000', same)];
    expect([refusal(known), known.text]).toEqual([[404, 'resource_not_found'], unknown.text]);
    expect(await works(theirs)).toBe(true);
    expect(refusal(await end(idOf(ours), { headers: { cookie: ours.cookie } }))).toEqual([403, 'csrf_failed']);
    expect(refusal(await call(at()))).toEqual([401, 'unauthenticated']);
  });
});
