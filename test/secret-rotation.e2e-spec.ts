import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { checkConsistency, checkProof, type ConsistencyProof, type PaymentProof } from '../src/audit/proofs';
import { ConfigError } from '../src/platform/config';
import { DerivedTokens } from '../src/platform/secrets/derived-tokens';
import { PersonalData } from '../src/platform/secrets/personal-data';
import { auditHere } from './support/audit-command';
import { proofOf } from './support/audit';
import { freePort } from './support/free-port';
import { bearing, connectAgent, type Connected, mustBe } from './support/connections';
import { type DnsResponder } from './support/dns-responder';
import { call } from './support/http';
import { grantFor } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { createPayment, eventsOfType, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { secretHere } from './support/secret-command';
import { type TestService } from './support/service';
import { useConnection } from './support/use-connection';
import {
  type ActiveEndpoint,
  activeEndpoint,
  startWebhookReceiver,
  type WebhookReceiver,
} from './support/webhook-receiver';

const secret = (letter: string): string => `only-for-tests-${letter.repeat(40)}`;

describeOnEachPair('a service secret that is rotated', (start) => {
  let service: TestService;
  let dns: DnsResponder;
  let receiver: WebhookReceiver;
  let scene: PaymentScene;
  let endpoint: ActiveEndpoint;
  let env: Readonly<Record<string, string>>;
  let dataDir: string | undefined;
  let firstProof: PaymentProof;

  const begin = (letter: string): Promise<TestService> =>
    start({ ...(dataDir === undefined ? {} : { dataDir }), env: { ...env, SERVICE_SECRET: secret(letter) } });
  const rotate = (from: string, to: string) =>
    secretHere({ ...service.settings, SERVICE_SECRET: secret(from), NEW_SERVICE_SECRET: secret(to) }, ['rotate']);
  const status = async () =>
    JSON.parse((await secretHere(service.settings, ['status', '--json'])).lines.join('')) as {
      current: number;
      secrets: { number: number; connections: string[]; endpoints: string[]; personal_keys: number }[];
    };
  const keys = async (): Promise<{ key_id: string; status: string }[]> =>
    (await call(`${service.url}/v1/audit/keys`)).body.keys as { key_id: string; status: string }[];

  beforeAll(async () => {
    const started = await startPaymentDns();
    dns = started.dns;
    receiver = await startWebhookReceiver();
    env = { ...started.env, PORT: String(await freePort()), ALLOW_PRIVATE_NETWORKS: 'true' };
    service = await begin('a');
    dataDir = service.dataDir;
    scene = await setPaymentScene(service, dns);
    endpoint = await activeEndpoint(service, scene.merchant, receiver.url);
    firstProof = await paymentIsProven();
  });
  afterAll(async () => {
    await service.stop();
    rmSync(service.dataDir, { recursive: true, force: true });
    await receiver.close();
    await dns.close();
  });

  /** Creates a payment over the connection, and expects a webhook under the endpoint's secret, and a proof. */
  async function paymentIsProven(
    by: Connected = scene.connection,
    webhookSecret = endpoint.secret,
  ): Promise<PaymentProof> {
    const before = receiver.received.length;
    const { body } = mustBe(201, await createPayment(service, { ...scene, headers: bearing(by.connectionToken) }));
    await receiver.until(() => receiver.received.length > before);
    const { body: bytes, headers } = receiver.received.at(-1) ?? { body: '', headers: {} };
    new Webhook(webhookSecret).verify(bytes, { ...headers });
    const id = body.payment_request.request_id as string;
    return mustBe(200, await proofOf(service, { headers: bearing(by.connectionToken) }, id)).body.proof as PaymentProof;
  }

  /** Expects all earlier credentials to still work. */
  async function everythingWorks(): Promise<void> {
    const { merchant, device, agent, connection } = scene;
    const session = { headers: { cookie: merchant.cookie } };
    mustBe(200, await call(`${service.url}/v1/merchant-sessions/current`, session));
    // A page that stayed open still has its old CSRF token.
    mustBe(201, await call(`${service.url}/v1/api-keys`, { headers: merchant.headers, body: { name: 'Server' } }));
    mustBe(200, await call(`${service.url}/v1/connections/${connection.connectionId}`, { headers: device.headers }));
    expect(await useConnection(service, connection.connectionToken)).toBe('accepted');
    expect(await agent.token()).toMatch(/^svc_at_/);
    await paymentIsProven();
    const { merchants } = await grantFor(service, merchant.email);
    expect(merchants.map(({ merchant_id }) => merchant_id)).toEqual([merchant.merchantId]);
    const sealed = (await eventsOfType(service, 'MerchantAccountAddressSealed')).map(
      ({ data }) => data as { account_id: string; key_id: string; email_sealed: string },
    );
    const personal = service.app.get(PersonalData);
    for (const { account_id, key_id, email_sealed } of sealed) {
      expect(await personal.unseal(account_id, key_id, email_sealed)).toBe(merchant.email);
    }
  }

  it('is not replaced next to a running service', async () => {
    const { code, lines, notes } = await rotate('a', 'b');
    expect([code, lines, notes]).toEqual([3, [], expect.stringMatching(/^svc secret: [^\n]*stop it first[^\n]*$/)]);
    await everythingWorks();
  });

  it('is replaced only by its holder, with one that is new and long enough', async () => {
    await service.stop();
    const given = { ...service.settings, SERVICE_SECRET: secret('a') };
    for (const [changes, message] of [
      [{}, 'NEW_SERVICE_SECRET'],
      [{ NEW_SERVICE_SECRET: 'short' }, 'at least 32'],
      [{ NEW_SERVICE_SECRET: secret('a') }, 'choose another'],
      [{ SERVICE_SECRET: secret('x'), NEW_SERVICE_SECRET: secret('b') }, 'is not the one this log was begun with'],
    ] as const) {
      const { code, lines, notes } = await secretHere({ ...given, ...changes }, ['rotate']);
      expect([code, lines, notes]).toEqual([2, [], expect.stringContaining(message)]);
      expect(notes).not.toContain('only-for-tests');
    }
  });

  it('no longer starts the service once replaced, and the new one serves everything as before', async () => {
    const { code, lines, notes } = await rotate('a', 'b');
    expect([code, notes, lines.join('\n')]).toEqual([0, '', expect.stringContaining('secret 2')]);
    expect(lines.join('\n')).not.toContain('only-for-tests');
    // No service has run since, so the read model lacks what the rotation wrote. That is not damage.
    const audited = await auditHere(service.settings, ['verify', '--json']);
    const told = JSON.parse(audited.lines.at(-1) ?? '') as { findings: number; behind: number };
    expect([audited.code, told.findings, told.behind > 0]).toEqual([0, 0, true]);
    const refused = await begin('a').then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as Error).message).toMatch(
      /^SERVICE_SECRET was replaced by another at \S+; start with the new one$/,
    );
    service = await begin('b');
    await everythingWorks();
    expect((await rotate('a', 'b')).code).toBe(3);
  });

  it('is recorded in the log as rotated, without either secret', async () => {
    const [rotated, ...more] = await eventsOfType(service, 'ServiceSecretRotated');
    expect(more).toEqual([]);
    expect(rotated?.data).toEqual({
      number: 2,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      older_keys_sealed: expect.any(String),
      rotated_at: expect.any(String),
    });
    expect(rotated?.metadata.actor).toEqual({ kind: 'operator', id: 'secret' });
    const shown = await auditHere(service.settings, ['show', 'service_secret-main']);
    expect(shown.lines.join('\n')).toContain('older_keys_sealed: (withheld)');
  });

  it('leaves valid proofs, under an audit key that the previous key has signed', async () => {
    const [current, retired, ...more] = await keys();
    expect([current?.status, retired?.status, more]).toEqual(['current', 'retired', []]);
    const proof = await paymentIsProven();
    expect([keyOf(firstProof), keyOf(proof)]).toEqual([retired?.key_id, current?.key_id]);
    for (const [one, key] of [
      [firstProof, retired],
      [proof, current],
    ] as const) {
      expect(checkProof(one, { trustedKeys: [key?.key_id ?? ''] })).toMatchObject({ ok: true, problems: [] });
    }
    // Somebody who knows only the first key can follow it to the second, but not the other way round.
    const followed = checkProof(proof, { trustedKeys: [retired?.key_id ?? ''] });
    expect([followed.problems, followed.proven[0]]).toEqual([[], expect.stringContaining('succeeds a key you named')]);
    expect(checkProof(firstProof, { trustedKeys: [current?.key_id ?? ''] }).ok).toBe(false);
    for (const [trusted, findings] of [
      [retired?.key_id, 0],
      ['f'.repeat(32), expect.any(Number)],
    ] as const) {
      const { code, lines } = await auditHere(service.settings, ['verify', '--json', '--key', trusted ?? '']);
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ findings, key: 'trusted' });
      expect(code).toBe(findings === 0 ? 0 : 1);
    }
    const exported = await auditHere(service.settings, ['export', '--merchant', scene.merchant.merchantId]);
    expect(exported.code).toBe(0);
    const file = join(service.dataDir, 'exported.jsonl');
    writeFileSync(file, `${exported.lines.join('\n')}\n`);
    for (const [key, code] of [
      [retired?.key_id, 0],
      [current?.key_id, 0],
      ['f'.repeat(32), 1],
    ] as const) {
      expect((await auditHere({}, ['check', file, '--key', key ?? ''])).code).toBe(code);
    }
  });

  it('derives everything new from the current secret', async () => {
    expect((await status()).secrets).toEqual([
      { number: 1, connections: [scene.connection.connectionId], endpoints: [endpoint.endpointId], personal_keys: 0 },
      { number: 2, connections: [], endpoints: [], personal_keys: 1 },
    ]);
    const fresh = await connectAgent(service, scene.agent, scene.device);
    expect(await useConnection(service, fresh.connectionToken)).toBe('accepted');
    const { connectionId } = scene.connection;
    const turned = mustBe(
      200,
      await call(`${service.url}/v1/connections/${connectionId}/rotate-token`, {
        headers: scene.device.headers,
        body: {},
      }),
    );
    expect(await useConnection(service, scene.connection.connectionToken)).toBe('invalid_token');
    scene = { ...scene, connection: { connectionId, connectionToken: turned.body.connection_token as string } };
    // The previous secret alone cannot derive them.
    const derived = service.app.get(DerivedTokens);
    expect([fresh.connectionToken, scene.connection.connectionToken]).toEqual([
      derived.of('connection', fresh.connectionId, { generation: 1, secret: 2 }),
      derived.of('connection', connectionId, { generation: 2, secret: 2 }),
    ]);
    const path = `${service.url}/v1/webhook-endpoints/${endpoint.endpointId}/rotate-secret`;
    const { body } = mustBe(200, await call(path, { headers: scene.merchant.headers, body: {} }));
    // Both secrets sign for a while, so a receiver with the previous one misses nothing.
    await paymentIsProven();
    await paymentIsProven(fresh, body.secret as string);
    expect((await status()).secrets).toEqual([
      { number: 1, connections: [], endpoints: [], personal_keys: 0 },
      {
        number: 2,
        connections: expect.arrayContaining([connectionId, fresh.connectionId]),
        endpoints: [endpoint.endpointId],
        personal_keys: 1,
      },
    ]);
    const documents = await call(`${service.url}/v1/connections`, { headers: scene.device.headers });
    expect(documents.text).not.toContain('secret_number');
  });

  it('may be rotated again, and what earlier secrets derived still works', async () => {
    await service.stop();
    expect((await rotate('b', 'a')).notes).toContain('was a secret of this log before');
    expect((await rotate('b', 'c')).code).toBe(0);
    service = await begin('c');
    await everythingWorks();
    expect((await status()).current).toBe(3);
    const [, , first] = await keys();
    const { lines } = await auditHere(service.settings, ['verify', '--json', '--key', first?.key_id ?? '']);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ findings: 0, key: 'trusted' });
    const trustedKeys = [first?.key_id ?? ''];
    expect(checkProof(await paymentIsProven(), { trustedKeys }).problems).toEqual([]);
    const sizes = [firstProof, await paymentIsProven()].map(({ checkpoint }) => checkpoint.tree_size);
    const { body } = await call(`${service.url}/v1/audit/consistency?from=${sizes[0]}&to=${sizes[1]}`);
    expect(checkConsistency(body.consistency as ConsistencyProof, { trustedKeys }).problems).toEqual([]);
  });

  it('still finds a person who is to be forgotten', async () => {
    const forget = ['forget', '--yes', scene.merchant.email];
    const wrong = await auditHere({ ...service.settings, SERVICE_SECRET: secret('a') }, forget);
    expect([wrong.code, wrong.notes]).toEqual([2, expect.stringContaining('SERVICE_SECRET was replaced')]);
    expect((await auditHere(service.settings, forget)).code).toBe(0);
    const [event] = await eventsOfType(service, 'MerchantAccountAddressSealed');
    const { account_id, key_id, email_sealed } = event?.data as Record<string, string>;
    const personal = service.app.get(PersonalData);
    expect(await personal.unseal(account_id ?? '', key_id ?? '', email_sealed ?? '')).toBeUndefined();
  });
});

const keyOf = ({ checkpoint }: PaymentProof): string => checkpoint.key_id;
