import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derivedId } from '../src/kernel/ids';
import { allAuditEvents, proofOf } from './support/audit';
import { audit, auditHere, type Ran } from './support/audit-command';
import { type DnsResponder } from './support/dns-responder';
import { describeOnEachPair } from './support/pairs';
import { createPayment, type PaymentScene, reportPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { type TestService } from './support/service';

describeOnEachPair('the audit command, next to a running service', (start) => {
  const files = mkdtempSync(join(tmpdir(), 'svc-audit-'));
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let requestId: string;

  const run = (...args: readonly string[]): Promise<Ran> => auditHere(service.settings, args);
  const file = (name: string, content: string): string => {
    const path = join(files, name);
    writeFileSync(path, content);
    return path;
  };
  /** The stream of a request whose id its caller chose is derived from the merchant and that id. */
  const requestStream = (): string => `payment_request-${derivedId('pr', scene.merchant.merchantId, 'id', requestId)}`;
  const json = ({ lines }: Ran): any[] => lines.map((line) => JSON.parse(line));

  beforeAll(async () => {
    const dnsAndSettings = await startPaymentDns();
    dns = dnsAndSettings.dns;
    service = await start({ env: dnsAndSettings.env });
    scene = await setPaymentScene(service, dns);
    const { body } = await createPayment(service, scene, { idempotency_key: 'k', request_id: 'order-7' });
    requestId = body['payment_request'].request_id as string;
    await reportPayment(service, scene, requestId, { status: 'signed' });
    await reportPayment(service, scene, requestId, { status: 'broadcasted', transaction_hash: 'feed' });
    await reportPayment(service, scene, requestId, { status: 'confirmed', transaction_hash: 'feed', ledger: 12 });
    // A proof is returned only once a checkpoint covers all of it.
    await proofOf(service, scene, requestId);
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
    rmSync(files, { recursive: true, force: true });
  });

  it('lists streams by kind and by time', async () => {
    const all = json(await audit(service.settings, ['streams', '--json']));
    expect(all.map(({ stream }) => stream)).toContain(requestStream());
    const requests = json(await run('streams', '--json', '--category', 'recipient'));
    expect(requests).toEqual([
      expect.objectContaining({ stream: `recipient-${scene.recipient.recipientId}`, events: 4 }),
    ]);
    expect((await run('streams', '--since', '2100-01-01T00:00:00Z')).lines).toEqual([]);
  });

  it('shows a stream with time, actor, call and cause, and no secrets', async () => {
    const shown = await run('show', scene.device.deviceId);
    expect(shown.code).toBe(0);
    expect(shown.lines.join('\n')).toMatch(
      /WalletDeviceRegistered {2}evt_\w+\n {3}by wallet_device dev_\w+ in call \S+/,
    );
    expect(shown.lines.join('\n')).toContain('token_hash: (withheld)');
    const connection = json(await run('show', '--json', scene.connection.connectionId));
    expect(connection[0]).toMatchObject({ type: 'ConnectionCreated', metadata: { causation_id: expect.any(String) } });
    expect((await run('show', 'con_nobody')).code).toBe(1);
  });

  it('tells the whole life of a payment, each line naming its event', async () => {
    const { lines } = await run('timeline', requestId);
    const order = [
      'was proven by dns',
      'was verified: evidence evd_',
      'was activated',
      'claimed the key',
      'approved: payment.requests.create',
      'The connection was made',
      'The idempotency key k was tied',
      'asked for 12.50 XLM to Example Shop',
      'approved and signed',
      'sent transaction feed',
      'The wallet says that transaction',
      'confirmed in ledger 12. That is the wallet’s claim',
    ];
    const places = order.map((words) => lines.findIndex((line) => line.includes(words)));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    for (const line of lines) expect(line).toMatch(/^\d{4}-\S+Z {2}.+ {2}\[\w+ evt_\w+, [a-z_]+-\S+ \d+\]$/);
  });

  it('shows a record as it was at a given time', async () => {
    const events = await allAuditEvents(service, scene.merchant, 'PaymentRequestConfirmed');
    const signed = events.find(({ event }) => event.type === 'PaymentRequestSigned').event.metadata
      .occurred_at as string;
    const [then] = json(await run('state', '--json', requestId, '--as-of', signed));
    expect(then).toMatchObject({ version: 2, state: { status: 'signed', transaction_hash: null } });
    const [now] = json(await run('state', '--json', requestStream()));
    expect(now).toMatchObject({ version: 4, state: { status: 'confirmed', ledger: 12 } });
    const [merchant] = json(await run('state', '--json', scene.merchant.merchantId));
    expect(merchant.state).toMatchObject({ status: 'active', domains: [{ domain: scene.merchant.domain }] });
    expect((await run('state', requestId, '--as-of', '2020-01-01T00:00:00Z')).code).toBe(1);
  });

  it('finds a payment by any id its caller chose, even one that looks like an id or a stream of another kind', async () => {
    const { connectionId } = scene.connection;
    const names = ['inv_2024_001', 'ap_invoice_77', 'session-5', 'payment_request-7', connectionId];
    for (const request_id of names) await createPayment(service, scene, { request_id });
    await proofOf(service, scene, connectionId);
    for (const name of names) {
      const stream = `payment_request-${derivedId('pr', scene.merchant.merchantId, 'id', name)}`;
      expect([name, json(await run('timeline', '--json', name)).at(-1)]).toEqual([
        name,
        expect.objectContaining({ stream }),
      ]);
      expect([name, (await run('export', name)).code]).toEqual([name, 0]);
      if (name === connectionId) continue;
      expect(json(await run('show', '--json', name))[0]).toMatchObject({ stream, data: { request_id: name } });
      expect(json(await run('state', '--json', name))[0]).toMatchObject({ stream, state: { status: 'pending' } });
    }
    // Where any kind of record is accepted, the id still means the connection.
    expect(json(await run('show', '--json', connectionId))[0]).toMatchObject({ type: 'ConnectionCreated' });
  });

  it('exports files that check can verify offline, whole or in part', async () => {
    const parts = [['--all'], ['--merchant', scene.merchant.merchantId], [requestId]];
    for (const part of parts) {
      const exported = await run('export', ...part);
      expect(exported.code).toBe(0);
      expect(exported.lines.length).toBeGreaterThan(5);
      expect(exported.lines.join('')).not.toMatch(/"token_hash"|"email_sealed"/);
      const { checkpoint } = JSON.parse(exported.lines.at(-1) ?? '') as { checkpoint: { key_id: string } };
      const path = file('export.jsonl', exported.lines.join('\n') + '\n');
      const checked = await auditHere({}, ['check', path, '--key', checkpoint.key_id]);
      expect([checked.lines[0], checked.code]).toEqual([expect.stringContaining('it holds'), 0]);
      const unvouched = await auditHere({}, ['check', path]);
      expect([unvouched.lines[0], unvouched.code]).toEqual([expect.stringContaining('NOBODY HAS VOUCHED'), 2]);
      const question = expect.stringMatching(/not proven: That key .* is the service’s/);
      expect(unvouched.lines).toContainEqual(question);
      expect(checked.lines).not.toContainEqual(question);
      for (const [keys, told] of [
        [[], 'unvouched'],
        [['--key', checkpoint.key_id], 'trusted'],
      ] as const) {
        const { lines } = await auditHere({}, ['check', path, '--json', ...keys]);
        expect(JSON.parse(lines.join('\n'))).toMatchObject({ ok: true, key: told });
      }
      expect(exported.notes).not.toContain('left out');
      expect(checked.lines.some((line) => line.includes('not proven: '))).toBe(true);
    }
    expect((await run('export', 'pr_nobody')).code).toBe(1);
  });

  it('verifies a proof from the service, and rejects one that was changed', async () => {
    const { text, body } = await proofOf(service, scene, requestId);
    const { key_id } = body['proof'].checkpoint;
    const good = await auditHere({}, ['check', file('proof.json', text), '--key', key_id as string]);
    expect([good.code, good.lines[0]]).toEqual([0, expect.stringContaining('it holds')]);
    const bad = await auditHere({}, ['check', file('lie.json', text.replace('12.50', '12.51'))]);
    expect([bad.code, bad.lines[0]]).toEqual([1, expect.stringContaining('DOES NOT HOLD')]);
    const stranger = await auditHere({}, ['check', file('proof.json', text), '--key', '0'.repeat(32)]);
    expect(stranger.code).toBe(1);
    const cut = JSON.parse(text) as { proof: { events: unknown[] } };
    cut.proof.events.pop();
    expect(
      (await auditHere({}, ['check', file('cut.json', JSON.stringify(cut)), '--key', key_id as string])).code,
    ).toBe(1);
  });

  it('verifies against the key it is given, and says when it had to trust the log', async () => {
    const { body } = await proofOf(service, scene, requestId);
    const trusting = await run('verify');
    expect([trusting.code, trusting.lines.join('\n')]).toEqual([
      0,
      expect.stringContaining('taken from the log itself'),
    ]);
    const pinned = await run('verify', '--key', body['proof'].checkpoint.key_id as string);
    expect([pinned.code, pinned.lines.join('\n')]).toEqual([
      0,
      expect.not.stringContaining('taken from the log itself'),
    ]);
    const foreign = await run('verify', '--key', '0'.repeat(32));
    expect([foreign.code, foreign.lines.join('\n')]).toEqual([
      1,
      expect.stringContaining('not one of those you trust'),
    ]);
  });

  it('prints its usage, and exits with 2 when it is used incorrectly', async () => {
    expect((await auditHere({}, ['--help'])).lines.join('\n')).toContain('timeline <payment id>');
    const wrong = [
      [],
      ['dance'],
      ['show'],
      ['export'],
      ['streams', '--category', 'x'],
      ['state', 'a', '--as-of', 'x'],
      ['--x'],
      // If these were ignored, the command would answer another question than the one asked.
      ['verify', 'export.jsonl'],
      ['streams', 'payment_request'],
      ['show', 'a', '--as-of', '2030-01-31T12:00:00Z'],
      ['timeline', 'a', '--as-of', '2030-01-31T12:00:00Z'],
      ['verify', '--since', '2030-01-31T12:00:00Z'],
      ['check', 'a', '--merchant', 'mer_1'],
      // Ambiguous between countries, or not a date at all.
      ['state', 'a', '--as-of', '11/12/2030'],
      ['state', 'a', '--as-of', '2030-01-31T12:00:00'],
      ['streams', '--since', '2030-02-30T12:00:00Z'],
    ];
    for (const args of wrong) expect([args, (await auditHere({}, args)).code]).toEqual([args, 2]);
    expect((await auditHere({ DATA_DIR: join(files, 'nothing') }, ['streams'])).code).toBe(3);
  });
});
