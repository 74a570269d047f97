import { newId } from '../src/kernel/ids';
import { createApiKey } from './support/agent-payments';
import { call } from './support/http';
import { type SignedUpMerchant, signUpMerchant, signUpPendingMerchant } from './support/merchant';
import { refusal } from './support/payments';
import { useServiceWithDns } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('API keys', () => {
  let now = Date.parse('2030-01-01T00:00:00Z');
  let merchant: SignedUpMerchant;

  const { service, dns } = useServiceWithDns({ clock: { now: () => new Date(now) } });
  beforeAll(async () => {
    merchant = await signUpMerchant(service, { dns });
  });

  const keys = (): string => `${service.url}/v1/api-keys`;
  const use = (headers: Readonly<Record<string, string>>) => call(`${service.url}/v1/agent-payments`, { headers });
  const withKey = (secret: string) => ({ 'x-svc-api-key': secret });
  const shown = async (apiKeyId: string) => {
    const { body } = await call(keys(), { headers: merchant.headers });
    return (body.api_keys as { api_key_id: string }[]).find((key) => key.api_key_id === apiKeyId);
  };

  it('show their secret once, and store only its hash', async () => {
    const { status, body } = await call(keys(), { headers: merchant.headers, body: { name: 'Server' } });
    expect([status, body]).toEqual([
      201,
      {
        ok: true,
        api_key: {
          api_key_id: expect.stringMatching(/^key_/),
          name: 'Server',
          prefix: expect.stringMatching(/^svc_sk_.{12}$/),
          status: 'active',
          created_at: expect.stringMatching(TIME),
          last_used_at: null,
        },
        secret: expect.stringMatching(/^svc_sk_[\w-]{64}$/),
      },
    ]);
    const secret = body.secret as string;
    expect(secret.startsWith(body.api_key.prefix as string)).toBe(true);
    const list = await call(keys(), { headers: merchant.headers });
    expect(list.body.api_keys).toContainEqual(body.api_key);
    expect(list.text).not.toContain(secret.slice(30));
    expect(service.log()).not.toContain(secret.slice(30));
  });

  it('need no name, because the contract requires no body', async () => {
    for (const part of [{ body: {} }, { method: 'POST' }]) {
      const { status, body } = await call(keys(), { headers: merchant.headers, ...part });
      expect([status, body.api_key?.name]).toEqual([201, 'API key']);
      expect((await use(withKey(body.secret as string))).status).toBe(200);
    }
    for (const name of ['', null, 5]) {
      const refused = await call(keys(), { headers: merchant.headers, body: { name } });
      expect([refused.status, refused.body.error.field]).toEqual([400, 'name']);
    }
  });

  it('are read one by one, only by their merchant, without the secret', async () => {
    const { apiKeyId, secret } = await createApiKey(service, merchant);
    const read = await call(`${keys()}/${apiKeyId}`, { headers: merchant.headers });
    expect([read.status, read.body]).toEqual([200, { ok: true, api_key: await shown(apiKeyId) }]);
    expect(read.text).not.toContain(secret.slice(30));
    const stranger = await signUpMerchant(service, { dns });
    for (const [id, { headers }] of [
      [apiKeyId, stranger],
      [newId('key'), merchant],
    ] as const) {
      expect(refusal(await call(`${keys()}/${id}`, { headers }))).toEqual([404, 'resource_not_found']);
    }
  });

  it('open the agent-payment surface for their merchant, and show when they were last used, to the minute', async () => {
    const { apiKeyId, secret } = await createApiKey(service, merchant);
    expect((await use(withKey(secret))).status).toBe(200);
    const first = new Date(now).toISOString();
    expect(await shown(apiKeyId)).toMatchObject({ last_used_at: first });
    now += 59_000;
    await use(withKey(secret));
    expect(await shown(apiKeyId)).toMatchObject({ last_used_at: first });
    now += 1_000;
    await use(withKey(secret));
    expect(await shown(apiKeyId)).toMatchObject({ last_used_at: new Date(now).toISOString() });
  });

  it('stop working as soon as they are revoked', async () => {
    const { apiKeyId, secret } = await createApiKey(service, merchant);
    expect((await use(withKey(secret))).status).toBe(200);
    const revoke = () => call(`${keys()}/${apiKeyId}`, { method: 'DELETE', headers: merchant.headers });
    const revoked = await revoke();
    expect([revoked.status, revoked.body.api_key.status]).toEqual([200, 'revoked']);
    expect(refusal(await use(withKey(secret)))).toEqual([401, 'invalid_token']);
    expect((await revoke()).body).toEqual(revoked.body);
  });

  it('are required, and no other credential is accepted in their place', async () => {
    const { secret } = await createApiKey(service, merchant);
    const missing = await use({});
    expect(refusal(missing)).toEqual([401, 'unauthenticated']);
    expect(missing.headers.get('www-authenticate')).toBeTruthy();
    const altered = secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    const wrong = [altered, 'svc_sk_x', ''];
    for (const token of wrong)
      expect([token, ...refusal(await use(withKey(token)))]).toEqual([token, 401, 'invalid_token']);
    for (const headers of [withKey(`svc_ms_${secret.slice(7)}`), { authorization: `Bearer ${secret}` }]) {
      expect(refusal(await use(headers))).toEqual([401, 'unauthenticated']);
    }
  });

  it('do not exist for another merchant', async () => {
    const stranger = await signUpMerchant(service, { dns });
    const { apiKeyId, secret } = await createApiKey(service, merchant);
    for (const id of [apiKeyId, 'key_01JZZZZZZZZZZZZZZZZZZZZZZZ']) {
      const answer = await call(`${keys()}/${id}`, { method: 'DELETE', headers: stranger.headers });
      expect(refusal(answer)).toEqual([404, 'resource_not_found']);
    }
    expect((await call(keys(), { headers: stranger.headers })).body).toEqual({
      ok: true,
      api_keys: [],
      next_cursor: null,
    });
    // A key of one merchant and a session of another are ambiguous.
    const both = await use({ ...withKey(secret), ...stranger.headers });
    expect(refusal(both)).toEqual([400, 'validation_failed']);
    expect(both.body.error.details.issues).toMatchObject([{ code: 'conflict', field: 'x-svc-api-key' }]);
    expect((await use({ ...withKey(secret), ...merchant.headers })).status).toBe(200);
  });

  it('require a merchant with a verified domain, and are created by its operators', async () => {
    const pending = await signUpPendingMerchant(service);
    const answer = await call(keys(), { headers: pending.headers, body: { name: 'Server' } });
    expect(refusal(answer)).toEqual([403, 'merchant_not_active']);
    const { secret } = await createApiKey(service, merchant);
    expect(refusal(await call(keys(), { headers: withKey(secret), body: { name: 'Another' } }))).toEqual([
      401,
      'unauthenticated',
    ]);
  });
});
