import { type Answer, call } from './support/http';
import { mustBe } from './support/connections';
import { describeOnEachPair } from './support/pairs';
import { registerDevice } from './support/devices';
import { type TestService } from './support/service';
import { useService } from './support/use-service';

describeOnEachPair('wallet devices', (start) => {
  let service: TestService;
  let devices: string;
  /** The time, in a test that must not depend on how fast it runs. */
  let standing: Date | undefined;

  beforeAll(async () => {
    service = await start({ clock: { now: () => standing ?? new Date() } });
    devices = `${service.url}/v1/wallet-devices`;
  });
  afterEach(() => (standing = undefined));
  afterAll(() => service.stopAndForget());

  const register = async (name = 'My phone'): Promise<{ id: string; token: string }> => {
    const { body } = await call(devices, { body: { name } });
    return { id: body.device.device_id, token: body.device_token };
  };
  const bearing = ({ id, token }: { id: string; token: string }) => ({ authorization: `Device ${id}:${token}` });
  const refusal = ({ status, body }: Answer): [number, string] => [status, body.error.code];

  it('registers a device and shows its token once', async () => {
    const { status, body } = await call(devices, { body: { name: 'My phone', platform: 'android' } });
    expect(status).toBe(201);
    expect(body).toEqual({
      ok: true,
      device: {
        device_id: expect.stringMatching(/^dev_[0-9A-HJKMNP-TV-Z]{26}$/),
        name: 'My phone',
        platform: 'android',
        status: 'active',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: body.device.created_at,
        version: 1,
      },
      device_token: expect.stringMatching(/^svc_dt_[\w-]{43}$/),
    });
  });

  it('reads what it just wrote, by header and by query', async () => {
    const device = await register();
    const byHeader = await call(`${devices}/${device.id}`, { headers: bearing(device) });
    const byQuery = await call(`${devices}/${device.id}?device_id=${device.id}&token=${device.token}`);
    expect(byHeader.status).toBe(200);
    expect(byHeader.body.device).toMatchObject({ device_id: device.id, name: 'My phone', platform: null });
    expect(byQuery.body).toEqual(byHeader.body);
  });

  it('sees every one of many concurrent writes', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const device = await register(`Phone ${index}`);
        return call(`${devices}/${device.id}`, { headers: bearing(device) });
      }),
    );
    expect(answers.map(({ status, body }) => [status, body.device.name])).toEqual(
      answers.map((_, index) => [200, `Phone ${index}`]),
    );
  });

  it('rotates the token: the new one works, the old one does not', async () => {
    const device = await register();
    const { status, body } = await call(`${devices}/${device.id}/rotate-token`, {
      body: { device_id: device.id, token: device.token },
    });
    expect(status).toBe(200);
    expect(body.device.version).toBe(2);
    expect(body.device_token).not.toBe(device.token);
    expect(refusal(await call(`${devices}/${device.id}`, { headers: bearing(device) }))).toEqual([
      401,
      'invalid_token',
    ]);
    const renewed = { id: device.id, token: body.device_token as string };
    expect((await call(`${devices}/${device.id}`, { headers: bearing(renewed) })).status).toBe(200);
  });

  it('lets exactly one of many concurrent rotations of one token win', async () => {
    const device = await register();
    // Who comes more than a second after the winner is told something else.
    standing = new Date();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        call(`${devices}/${device.id}/rotate-token`, { method: 'POST', headers: bearing(device), body: {} }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status !== 200);
    expect([won.length, lost.map(refusal)]).toEqual([1, Array(19).fill([409, 'version_conflict'])]);
    expect(lost.map(({ body }) => body.error.details as unknown)).toEqual(Array(19).fill({ current_version: 2 }));
    const token = won[0]?.body.device_token as string;
    const read = await call(`${devices}/${device.id}`, { headers: bearing({ id: device.id, token }) });
    expect([read.status, read.body.device.version]).toEqual([200, 2]);
  });

  it('removes the device permanently, with the credential in body or query', async () => {
    const [one, other] = [await register(), await register()];
    const inBody = await call(`${devices}/${one.id}`, {
      method: 'DELETE',
      body: { device_id: one.id, token: one.token },
    });
    const inQuery = await call(`${devices}/${other.id}?device_id=${other.id}&token=${other.token}`, {
      method: 'DELETE',
    });
    expect([inBody.status, inQuery.status]).toEqual([200, 200]);
    expect(inBody.body.device.status).toBe('removed');
    expect(refusal(await call(`${devices}/${one.id}`, { headers: bearing(one) }))).toEqual([401, 'invalid_token']);
  });

  it('admits nobody as a device that was removed or never existed, not even with the token of the dummy', async () => {
    const removed = await register();
    await call(`${devices}/${removed.id}`, { method: 'DELETE', headers: bearing(removed), body: {} });
    const token = 'no such device';
    for (const device_id of [removed.id, 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ', 'nonsense']) {
      const query = new URLSearchParams({ device_id, token }).toString();
      const answers = [
        await call(`${service.url}/v1/connections?${query}`),
        await call(`${service.url}/v1/connect-keys`, { body: { device_id, token } }),
        await call(`${devices}/${device_id}/rotate-token`, { body: { device_id, token } }),
      ];
      expect(answers.map(refusal)).toEqual(answers.map(() => [401, 'invalid_token']));
    }
  });

  it('refuses calls without a credential, with a wrong one, or with two that differ', async () => {
    const [device, other] = [await register(), await register()];
    const url = `${devices}/${device.id}`;
    const none = await call(url);
    expect(refusal(none)).toEqual([401, 'unauthenticated']);
    expect(none.headers.get('www-authenticate')).toContain('Device');
    const wrong = [
      { id: device.id, token: other.token },
      { id: 'dev_00000000000000000000000000', token: device.token },
      { id: 'nonsense', token: 'nonsense' },
    ];
    for (const credential of wrong) {
      expect(refusal(await call(url, { headers: bearing(credential) }))).toEqual([401, 'invalid_token']);
    }
    const torn = await call(`${url}?device_id=${other.id}&token=${other.token}`, { headers: bearing(device) });
    expect(refusal(torn)).toEqual([400, 'validation_failed']);
    // Half of another one differs as well: a key made for the wrong wallet is one that nobody looked for.
    const keys = `${service.url}/v1/connect-keys`;
    for (const half of [{ device_id: other.id }, { token: other.token }]) {
      const query = new URLSearchParams(half as Record<string, string>).toString();
      const inBody = await call(keys, { headers: bearing(device), body: half });
      const inQuery = await call(`${url}?${query}`, { headers: bearing(device) });
      expect([inBody, inQuery].map(refusal)).toEqual(Array(2).fill([400, 'validation_failed']));
    }
    expect((await call(keys, { headers: bearing(device), body: { device_id: device.id } })).status).toBe(201);
  });

  it('refuses half a credential, and one that is no text, also next to a whole one', async () => {
    const device = await register();
    const keys = `${service.url}/v1/connect-keys`;
    for (const half of [{ device_id: device.id }, { token: device.token }])
      expect(refusal(await call(keys, { body: half }))).toEqual([401, 'unauthenticated']);
    for (const odd of [{ device_id: 5 }, { token: [device.token] }, { device_id: { id: device.id } }]) {
      const { status, body } = await call(keys, { headers: bearing(device), body: odd });
      const [issue] = body.error.issues ?? [];
      expect([status, issue]).toEqual([
        400,
        expect.objectContaining({ code: 'wrong_type', field: Object.keys(odd)[0] }),
      ]);
    }
  });

  it('answers another device’s id and an unknown id alike', async () => {
    const [device, other] = [await register(), await register()];
    const answers = await Promise.all(
      [other.id, 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ'].map((id) =>
        call(`${devices}/${id}`, { headers: { ...bearing(device), 'x-request-id': 'same' } }),
      ),
    );
    expect(refusal(answers[0] as Answer)).toEqual([404, 'resource_not_found']);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  it('writes no token into the log', async () => {
    const device = await register();
    await call(`${devices}/${device.id}?device_id=${device.id}&token=${device.token}`);
    expect(service.log()).toContain(`/v1/wallet-devices/${device.id}`);
    expect(service.log()).not.toContain(device.token);
  });
});

describe('a device token that was replaced', () => {
  const rotatedAt = Date.parse('2030-01-01T12:00:00.000Z');
  let time = rotatedAt;
  const service = useService({ clock: { now: () => new Date(time) } });

  it.each([
    ['at once', 0, 409, 'version_conflict'],
    ['a second later', 1_000, 409, 'version_conflict'],
    ['later than that', 1_001, 401, 'invalid_token'],
    ['an hour earlier, after the clock was set back', -3_600_000, 401, 'invalid_token'],
  ])('is refused %s', async (_when, afterMs, status, code) => {
    time = rotatedAt;
    const { deviceId, headers } = await registerDevice(service);
    const rotate = () => call(`${service.url}/v1/wallet-devices/${deviceId}/rotate-token`, { headers, body: {} });
    expect((await rotate()).status).toBe(200);
    time += afterMs;
    const refused = await rotate();
    expect([refused.status, refused.body.error.code]).toEqual([status, code]);
  });

  const rotation = async () => {
    time = rotatedAt;
    const { deviceId, headers } = await registerDevice(service);
    const url = `${service.url}/v1/wallet-devices/${deviceId}`;
    const rotate = (rotation_id: string, by: object = headers) =>
      call(`${url}/rotate-token`, { headers: { ...by }, body: { rotation_id } });
    const bearing = (token: string) => ({ authorization: `Device ${deviceId}:${token}` });
    return { url, rotate, bearing, headers };
  };
  const [id, otherId] = ['one-rotation-of-this-phone', 'another-rotation-of-it'];
  const outcome = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body.error?.code];

  it('is answered with the same new token again for ten minutes, to who repeats the rotation with its id', async () => {
    const { url, rotate, bearing, headers } = await rotation();
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => rotate(id)));
    const token = first?.body.device_token as string;
    expect(token).toMatch(/^svc_dt_[\w-]{43}$/);
    time += 600_000;
    const late = await rotate(id);
    expect([...others, late].map(({ status, body }) => [status, body.device_token])).toEqual(
      Array(5).fill([200, token]),
    );
    expect(late.body.device.version).toBe(2);
    expect((await call(url, { headers: bearing(token) })).status).toBe(200);
    // Only for that: nothing else takes the old token.
    expect(outcome(await call(url, { headers }))).toEqual([401, 'invalid_token']);
    time += 1;
    expect(outcome(await rotate(id))).toEqual([401, 'invalid_token']);
  });

  it('is refused under another id, and once the next token was replaced as well or the device removed', async () => {
    const { url, rotate, bearing, headers } = await rotation();
    const { device_token: next } = mustBe(200, await rotate(id)).body as { device_token: string };
    time += 2_000;
    for (const other of [otherId, id.toUpperCase()])
      expect(outcome(await rotate(other))).toEqual([401, 'invalid_token']);
    expect(outcome(await rotate(id, bearing(`${next}x`)))).toEqual([401, 'invalid_token']);
    // The same id names another rotation where another token is held.
    const { device_token: last } = mustBe(200, await rotate(id, bearing(next))).body as { device_token: string };
    expect(last).not.toBe(next);
    expect(outcome(await rotate(id, headers))).toEqual([401, 'invalid_token']);
    expect(mustBe(200, await rotate(id, bearing(next))).body.device_token).toBe(last);
    mustBe(200, await call(url, { method: 'DELETE', headers: bearing(last) }));
    expect(outcome(await rotate(id, bearing(next)))).toEqual([401, 'invalid_token']);
  });

  it('needs an id that nobody guesses', async () => {
    const { rotate, headers } = await rotation();
    for (const wrong of ['1', 'x'.repeat(19), 'x'.repeat(161)]) expect((await rotate(wrong)).status).toBe(400);
    expect(outcome(await rotate(7 as never))).toEqual([400, 'validation_failed']);
    expect((await rotate(id, headers)).status).toBe(200);
  });

  it('tells somebody who never held it nothing, not even that it was replaced', async () => {
    time = rotatedAt;
    const { deviceId, headers } = await registerDevice(service);
    const other = await registerDevice(service);
    const rotate = (by: object) =>
      call(`${service.url}/v1/wallet-devices/${deviceId}/rotate-token`, { headers: { ...by }, body: {} });
    expect((await rotate(headers)).status).toBe(200);
    const [, othersToken] = other.headers.authorization.split(':');
    const guessed = await rotate({ authorization: `Device ${deviceId}:${othersToken}` });
    expect([guessed.status, guessed.body.error.code]).toEqual([401, 'invalid_token']);
  });
});
