import { EVENT_STORE, type EventStore, LOG_START } from '../src/platform/event-store/event-store.port';
import { registerDevice } from './support/devices';
import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';
import { signUpMerchant } from './support/merchant';
import { useServiceWithDns } from './support/use-service';

const SEED = 'SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4';
const PEM = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----';
const JWK = { kty: 'OKP', crv: 'Ed25519', d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', x: 'x' };
const SOLANA_SIGNATURE = '51qBJbPz3c9Uoxn2yDQu7MQQASgJ3nWKwXZcMC1dwxiw5VvZ1yEtWZ4j11XKF5KyvvWjuTkCP1K5gPBBEzoqtes2';
/** Only deriving its public key distinguishes it from a signature. */
const SOLANA_KEY = '24hLyPVqepGozvHHkQ9dogfZf16sofWTckfcTQYcA6vHvHAsbtB6pNHY4ysKewGLVUsDkGLe9KnELoMHRUh45xMt';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

describe('private keys', () => {
  const { service, dns } = useServiceWithDns();

  const at = (path: string): string => `${service.url}/v1/${path}`;
  const issues = ({ body }: Answer): unknown =>
    body.error?.issues?.map(({ code, field }: Record<string, string>) => [code, field]);
  const refused = (...fields: string[]) => fields.map((field) => ['secret_not_accepted', field]);

  it('are refused by name in any field of any route, together with every other problem', async () => {
    const { headers } = await signUpMerchant(service, { dns });
    const device = await registerDevice(service);
    const agent = { name: 'A', runtime: 'node', environment: 'testnet', allowed_scopes: ['payment.requests.read'] };
    const { agent_id } = (await call(at('agents'), { headers, body: agent })).body.agent;
    expect(issues(await call(at('agents'), { headers, body: { ...agent, private_key: 'abc' } }))).toEqual(
      refused('private_key'),
    );
    expect(issues(await call(at('agents'), { headers, body: { ...agent, name: PEM, jwk: JWK } }))).toEqual([
      ...refused('name', 'jwk'),
      ['unreadable_text', 'name'],
    ]);
    const credential = { kid: 'k', public_key: SEED, keys: { privateKey: 'x' }, alg: 'RS256' };
    const registered = await call(at(`agents/${agent_id}/credentials`), { headers, body: credential });
    expect(issues(registered)).toEqual(expect.arrayContaining(refused('public_key', 'keys.privateKey')));
    expect(issues(registered)).toEqual(expect.arrayContaining([['required', 'expires_at']]));
    expect(issues(await call(at('wallet-devices'), { body: { name: 'x', seed: SEED } }))).toEqual(refused('seed'));
    const unnamed = { name: 'x', note: WORDS, notes: { plain: JSON.stringify(JWK), listed: WORDS.split(' ') } };
    expect(issues(await call(at('wallet-devices'), { body: unnamed }))).toEqual(
      refused('note', 'notes.plain', 'notes.listed'),
    );
    const own = at(`wallet-devices/${device.deviceId}`);
    const { headers: wallet } = device;
    expect(issues(await call(`${own}/rotate-token`, { headers: wallet, body: { mnemonic: 'a b c' } }))).toEqual(
      refused('mnemonic'),
    );
    expect(issues(await call(`${own}?private_key=x`, { headers: wallet }))).toEqual(refused('private_key'));
    expect(issues(await call(own, { headers: { ...wallet, 'x-private-key': 'x' } }))).toEqual(refused('x-private-key'));
    expect(
      issues(await call(at('merchant-sessions/current'), { method: 'DELETE', headers, body: { [SEED]: 1, a: SEED } })),
    ).toEqual(refused('', 'a'));
    const address = await call(at('recipients'), {
      headers,
      body: { name: 'P', network: 'stellar_testnet', asset: 'XLM', address: SEED },
    });
    expect(issues(address)).toEqual(refused('address'));

    const log = await service.app.get<EventStore>(EVENT_STORE).readAll(LOG_START, 1000);
    const kept = JSON.stringify(log, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
    for (const answer of [registered, address]) expect(answer.text).not.toContain(SEED);
    for (const secret of [SEED, JWK.d, 'BEGIN PRIVATE', 'sausage']) expect(kept).not.toContain(secret);
  });

  it('are refused in stored headers and in paths, and the log does not show them', async () => {
    const { headers } = await registerDevice(service);
    const body = { name: 'x' };
    for (const name of ['idempotency-key', 'x-idempotency-key', 'x-request-id', 'x-anything'])
      for (const key of [SEED, WORDS, JSON.stringify(JWK)]) {
        const answer = await call(at('wallet-devices'), { headers: { [name]: key }, body });
        expect([name, issues(answer)]).toEqual([name, refused(name)]);
        expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(key);
      }
    const decoys = Object.fromEntries([...'abcd'].map((name) => [`x-${name}`, SOLANA_SIGNATURE]));
    const behind = await call(at('wallet-devices'), { headers: { ...decoys, 'x-idempotency-key': SOLANA_KEY }, body });
    expect([issues(behind), behind.text.includes(SOLANA_KEY)]).toEqual([refused('x-idempotency-key'), false]);
    const paths = [SEED, WORDS].flatMap((key) => [`payment-requests/by-key/${encodeURIComponent(key)}`, `nope/${key}`]);
    for (const path of paths) {
      const { status, text } = await call(at(path), { headers });
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
      expect(text).not.toContain(SEED);
    }
    await eventually(
      async () => service.log().split('(a private key)').length - 1,
      (times) => times >= paths.length,
      'the lines of the log',
    );
    for (const secret of [SEED, 'sausage', JWK.d]) expect(service.log()).not.toContain(secret);
  });
});
