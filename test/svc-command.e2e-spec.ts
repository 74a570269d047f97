import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { type DnsResponder } from './support/dns-responder';
import { call } from './support/http';
import { mailNumber, linksTo } from './support/outbox';
import { describeOnEachPair } from './support/pairs';
import { createPayment, type PaymentScene, reportPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { type TestService } from './support/service';
import { startSvc, svc, svcHere } from './support/svc-command';
import { temporaryDirectories } from './support/temp-directory';
import {
  activeEndpoint,
  answering,
  type Received,
  startWebhookReceiver,
  type WebhookReceiver,
} from './support/webhook-receiver';

const folder = mkdtempSync(join(tmpdir(), 'svc-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeOnEachPair('svc, against a service', (start) => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;
  let file: string;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const { dns: responder, env: settings } = await startPaymentDns();
    dns = responder;
    receiver = await startWebhookReceiver();
    service = await start({ env: { ...settings, ALLOW_PRIVATE_NETWORKS: 'true' } });
    scene = await setPaymentScene(service, dns);
    file = join(mkdtempSync(join(folder, 'of ')), 'config', 'credentials.json');
    env = { SVC_URL: service.url, SVC_CREDENTIALS: file };
    await signIn();
  }, 180_000);
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
    await receiver.close();
  });

  /** As a person signs in: the address, then the token from the mail. */
  async function signIn(): Promise<void> {
    const { email } = scene.merchant;
    const before = linksTo(service, email).length;
    const running = startSvc(['login'], env);
    running.type(email);
    await running.until(() => running.err().includes('The link'));
    running.type((await mailNumber(service, email, before + 1)).link);
    // Standard input stays open, like that of a terminal.
    const { code, out } = await running.ended;
    expect([code, out]).toEqual([0, expect.stringContaining(`(${scene.merchant.merchantId})`)]);
  }

  const newRequest = async (): Promise<string> =>
    (await createPayment(service, scene)).body.payment_request.request_id as string;
  const jsonLines = (out: string): any[] =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const kept = (): Record<string, string> => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

  it('keeps the session private: mode 0600, and nothing of it is printed', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(kept()).toMatchObject({ url: service.url, session_token: expect.any(String) });
    const seen = await call(`${service.url}/v1/merchants/current`, {
      headers: { authorization: `Bearer ${kept()['session_token']}` },
    });
    expect(seen.body.merchant.merchant_id).toBe(scene.merchant.merchantId);
    const { out, err } = await svc(['events', '--json'], env);
    expect(out + err).not.toContain(kept()['session_token']);
  });

  it('refuses a file that others can read, and another service’s session', async () => {
    chmodSync(file, 0o640);
    const open = await svcHere(['events'], env);
    chmodSync(file, 0o600);
    expect([open.code, open.err]).toEqual([3, expect.stringContaining('chmod 600')]);
    const other = await svcHere(['events'], { ...env, SVC_URL: receiver.url });
    expect([other.code, other.err]).toEqual([3, expect.stringContaining('are for')]);
    expect(receiver.received).toEqual([]);
  });

  it('forwards the feed with the bytes of webhooks, signed so that a receiver’s own library accepts them', async () => {
    await activeEndpoint(service, scene.merchant, receiver.url);
    const listening = startSvc(['listen', '--forward-to', `${receiver.url}/mine`], env);
    await listening.until(() => listening.out().includes('Forwarding'));
    const [secret = ''] = /whsec_\S+/.exec(listening.out()) ?? [];
    const id = await newRequest();
    await reportPayment(service, scene, id, { status: 'signed' });
    const mine = (): Received[] => receiver.received.filter(({ path }) => path.endsWith('/mine'));
    const real = (): Received[] => receiver.received.filter(({ path }) => !path.endsWith('/mine'));
    await receiver.until(() => mine().length === 2 && real().length === 2);
    for (const { body, headers } of mine()) {
      expect(new Webhook(secret).verify(body, { ...headers })).toMatchObject({ data: { request_id: id } });
      const tampered = body.replace('"amount":"12.50"', '"amount":"99.50"');
      expect(tampered).not.toBe(body);
      expect(() => new Webhook(secret).verify(tampered, { ...headers })).toThrow();
    }
    expect(mine().map(({ body }) => body)).toEqual(real().map(({ body }) => body));
    const { body } = await call(`${service.url}/v1/events`, { headers: scene.merchant.headers });
    const cursors = (body.events as any[]).flatMap(({ cursor, data }) =>
      data.request_id === id ? [String(cursor)] : [],
    );
    expect(mine().map(({ headers }) => headers['webhook-cursor'])).toEqual(cursors);
    await listening.until(() => listening.out().includes('payment_request.signed'));
    expect((await listening.interrupt()).code).toBe(0);
  });

  it('goes back with --since, filters by --types, and names what was not accepted', async () => {
    const [first] = jsonLines((await svcHere(['events', '--json', '--types', 'payment_request.created'], env)).out);
    receiver.behave(answering(500));
    const since = String(first.cursor - 1);
    const args = ['listen', '--json', '--forward-to', `${receiver.url}/again`, '--since', since];
    const listening = startSvc([...args, '--types', 'payment_request.created', '--secret', 'whsec_c2VjcmV0'], env);
    await listening.until(() => listening.err().includes(`--since ${since}`));
    receiver.behave(answering(204));
    const { out } = await listening.interrupt();
    expect(jsonLines(out).slice(0, 2)).toEqual([
      { secret: 'whsec_c2VjcmV0', since: first.cursor - 1 },
      expect.objectContaining({ cursor: first.cursor, type: 'payment_request.created', status: 500 }),
    ]);
    const again = receiver.received.find(({ path }) => path.endsWith('/again'));
    expect(new Webhook('whsec_c2VjcmV0').verify(again?.body ?? '', { ...again?.headers })).toMatchObject({
      data: { event_id: again?.id },
    });
  });

  it('prints the feed, and follows it', async () => {
    const { body } = await call(`${service.url}/v1/events`, { headers: scene.merchant.headers });
    expect(jsonLines((await svcHere(['events', '--json'], env)).out)).toEqual(body.events);
    const following = startSvc(['events', '--follow', '--since', String(body.newest_cursor)], env);
    await following.until(() => following.out().includes('CURSOR'));
    const id = await newRequest();
    await following.until(() => following.out().includes(id));
    expect((await following.interrupt()).code).toBe(0);
  });

  it('reads payments as the merchant and as the agent, and waits for one', async () => {
    const id = await newRequest();
    const asAgent = {
      SVC_URL: service.url,
      SVC_CREDENTIALS: join(folder, 'none'),
      SVC_CONNECTION_TOKEN: scene.connection.connectionToken,
    };
    for (const who of [env, asAgent]) {
      const { code, out } = await svcHere(['payments', 'get', id, '--json'], who);
      expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ request_id: id, status: 'pending' })]);
      const listed = await svcHere(['payments', 'list', '--limit', '1', '--json'], who);
      expect(jsonLines(listed.out).map(({ request_id }) => request_id)).toEqual([id]);
    }
    expect((await svcHere(['payments', 'list'], env)).out).toContain('12.50 XLM');
    expect((await svcHere(['payments', 'wait', id, '--timeout', '0'], env)).code).toBe(4);
    const waiting = startSvc(['payments', 'wait', id], env);
    await reportPayment(service, scene, id, { status: 'signed' });
    await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash: 'ab' });
    await reportPayment(service, scene, id, { status: 'confirmed', transaction_hash: 'ab' });
    expect((await waiting.ended).code).toBe(0);
    const other = await newRequest();
    await reportPayment(service, scene, other, { status: 'rejected' });
    expect((await svc(['payments', 'wait', other], asAgent)).code).toBe(1);
    expect((await svcHere(['payments', 'wait', 'pr_nobody'], env)).code).toBe(3);
  });

  it('distinguishes a genuine message in a file from a forged one', async () => {
    const { secret } = await activeEndpoint(service, scene.merchant, `${receiver.url}/kept`);
    const before = receiver.received.length;
    await newRequest();
    await receiver.until(() => receiver.received.slice(before).some(({ path }) => path.endsWith('/kept')));
    const message = receiver.received.slice(before).find(({ path }) => path.endsWith('/kept'));
    const head = Object.entries(message?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    const verify = async (text: string, key = secret): Promise<number | null> => {
      const path = join(folder, 'message.http');
      writeFileSync(path, text);
      return (await svcHere(['verify', path, '--secret', key])).code;
    };
    const body = message?.body ?? '';
    const raw = ['POST /kept HTTP/1.1', ...head, '', body].join('\r\n');
    expect(await verify(raw)).toBe(0);
    expect(await verify([...head, '', body].join('\n'))).toBe(0);
    expect(await verify(`${raw} `)).toBe(1);
    expect(await verify(raw.replace('12.50', '12.51'))).toBe(1);
    expect(await verify(raw, 'whsec_c2VjcmV0')).toBe(1);
    expect(await verify([...head.filter((line) => !line.startsWith('webhook-id')), '', body].join('\n'))).toBe(1);
    expect(await verify('no request at all')).toBe(3);
    expect(await verify(raw, 'nonsense')).toBe(2);
    expect((await svc(['verify', join(folder, 'nothing'), '--secret', secret])).code).toBe(3);
  });

  it('signs out: the session is ended and deleted', async () => {
    const { session_token: token } = kept();
    expect((await svcHere(['logout'], env)).code).toBe(0);
    expect(kept()).toEqual({ url: service.url });
    const headers = { authorization: `Bearer ${token}` };
    expect((await call(`${service.url}/v1/merchants/current`, { headers })).status).toBe(401);
    const { code, err } = await svcHere(['events'], env);
    expect([code, err]).toEqual([3, expect.stringContaining('svc login')]);
    expect((await svcHere(['logout'], env)).code).toBe(0);
  });
});

describe('svc, without a service', () => {
  const newDirectory = temporaryDirectories();

  it('prints help if asked for, and on standard error if arguments are missing', async () => {
    const asked = await svc(['help']);
    expect([asked.code, asked.out, asked.err]).toEqual([0, expect.stringContaining('payments wait'), '']);
    expect((await svcHere(['help', 'verify'])).out).toContain('--secret');
    for (const args of [['dance'], [], ['payments'], ['payments', 'dance'], ['--dance'], ['help', 'dance']]) {
      const { code, out, err } = await svc(args);
      expect([args, code, out]).toEqual([args, 2, '']);
      expect(err).toContain('svc <command>');
    }
    for (const args of [
      ['events', '--dance'],
      ['events', '--since', '-1'],
      ['verify'],
      ['listen'],
      ['payments', 'get'],
    ]) {
      const { code, out } = await svcHere(args, { SVC_URL: 'http://127.0.0.1:9' });
      expect([args, code, out]).toEqual([args, 2, '']);
    }
  }, 120_000);

  it('says what is missing, without creating a file', async () => {
    const path = join(newDirectory(), 'svc', 'credentials.json');
    const [nowhere, nobody] = [
      await svcHere(['events'], { SVC_CREDENTIALS: path }),
      await svc(['events'], { SVC_CREDENTIALS: path, SVC_URL: 'http://127.0.0.1:9' }),
    ];
    expect([nowhere.code, nowhere.err]).toEqual([3, expect.stringContaining('SVC_URL')]);
    expect([nobody.code, nobody.err]).toEqual([3, expect.stringContaining('svc login')]);
    const away = await svc(['events'], {
      SVC_CREDENTIALS: path,
      SVC_URL: 'http://127.0.0.1:9',
      SVC_SESSION_TOKEN: 'hidden',
    });
    expect([away.code, away.err.includes('hidden')]).toEqual([3, false]);
    expect(existsSync(path)).toBe(false);
  });

  it('posts sample messages of every type, marked as practice, without a service', async () => {
    const receiver = await startWebhookReceiver();
    const secret = 'whsec_cHJhY3RpY2U=';
    for (const type of ['payment_request.confirmed', 'agent_payment.failed', 'connection.revoked']) {
      const { code, out } = await svcHere(['trigger', type, '--forward-to', receiver.url, '--secret', secret]);
      expect([code, out]).toEqual([0, expect.stringContaining(secret)]);
      const { body, headers } = receiver.received.at(-1) as Received;
      expect(new Webhook(secret).verify(body, { ...headers })).toMatchObject({ type, data: { type, practice: true } });
      expect(headers['webhook-practice']).toBe('true');
    }
    receiver.behave(answering(500));
    expect((await svcHere(['trigger', 'connection.paused', '--forward-to', receiver.url])).code).toBe(1);
    expect((await svcHere(['trigger', 'dance', '--forward-to', receiver.url])).code).toBe(2);
    await receiver.close();
    expect((await svcHere(['trigger', 'connection.paused', '--forward-to', receiver.url])).code).toBe(3);
  });

  it('completes commands in bash', async () => {
    const script = join(newDirectory(), 'completion');
    writeFileSync(script, (await svc(['completion', 'bash'])).out);
    const complete = (...words: readonly string[]): string[] => {
      const typed = words.map((word) => `'${word}'`).join(' ');
      const code = `. '${script}'; COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _svc; echo "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', code], { encoding: 'utf8' }).stdout.trim().split(' ');
    };
    expect(complete('svc', 'log')).toEqual(['login', 'logout']);
    expect(complete('svc', 'payments', '')).toEqual(['get', 'list', 'wait']);
    expect(complete('svc', 'payments', 'wait', '--t')).toEqual(['--timeout']);
    expect(complete('svc', 'trigger', 'connection.p')).toEqual(['connection.paused']);
  });
});
