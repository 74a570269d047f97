import { Readable } from 'node:stream';
import fc from 'fast-check';
import { type Verdict } from '../src/audit/proofs';
import { verdictOnExport } from '../src/audit/cli/check';
import { proofOf } from './support/audit';
import { auditHere } from './support/audit-command';
import { createPayment, type PaymentScene, reportPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService } from './support/service';

/** Single-byte changes in all, over the three kinds of export; ten thousand in the long form. */
const CHANGES = Number(process.env['EXPORT_CHANGES'] ?? 1_000);

describe('an export', () => {
  let scene: PaymentScene;
  const exported: Record<string, Buffer> = {};
  const check = (bytes: Buffer): Promise<Verdict> =>
    verdictOnExport(Readable.from([bytes]) as AsyncIterable<Buffer>, {});
  const linesOf = (name: string): string[] => (exported[name] as Buffer).toString().split('\n').slice(0, -1);
  const joined = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''));

  beforeAll(async () => {
    const { dns, env } = await startPaymentDns();
    const service = await startTestService({ env });
    scene = await setPaymentScene(service, dns);
    const { body } = await createPayment(service, scene, { metadata: { note: 'ünïcödé ✓' } });
    const id = body['payment_request'].request_id as string;
    await reportPayment(service, scene, id, { status: 'signed' });
    await proofOf(service, scene, id);
    const scopes = { all: ['--all'], merchant: ['--merchant', scene.merchant.merchantId], payment: [id] };
    for (const [name, args] of Object.entries(scopes)) {
      exported[name] = joined((await auditHere(service.settings, ['export', ...args])).lines);
    }
    await service.stopAndForget();
    await dns.close();
  });

  const kinds = ['all', 'merchant', 'payment'];

  it.each(kinds)('of %s holds as it was made', async (kind) => {
    expect(await check(exported[kind] as Buffer)).toMatchObject({ ok: true, problems: [] });
  });

  it.each(kinds)('of %s does not hold when a single byte is changed, whichever', async (kind) => {
    const bytes = exported[kind] as Buffer;
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(change, async ([place, by]) => {
        const changed = Buffer.from(bytes);
        changed[place] = ((bytes[place] ?? 0) + by) % 256;
        expect((await check(changed)).ok).toBe(false);
      }),
      { numRuns: Math.ceil(CHANGES / kinds.length) },
    );
  });

  it.each(kinds)('of %s does not hold when an event is removed, doubled, moved or made up', async (kind) => {
    const lines = linesOf(kind);
    for (let at = 1; at < lines.length - 1; at += 1) {
      const [before, line = '', after] = [lines.slice(0, at), lines[at], lines.slice(at + 1)];
      expect((await check(joined([...before, ...after]))).ok).toBe(false);
      expect((await check(joined([...before, line, line, ...after]))).ok).toBe(false);
      const [next = '', ...rest] = after;
      expect((await check(joined([...before, next, line, ...rest]))).ok).toBe(false);
      const madeUp = line.replace(/"event_id":"evt_\w{4}/, '"event_id":"evt_0000');
      expect((await check(joined([...before, madeUp, line, ...after]))).ok).toBe(false);
    }
  });

  it('that was cut short, or sealed anew by somebody else, does not hold', async () => {
    const lines = linesOf('all');
    expect((await check(joined(lines.slice(0, -1)))).ok).toBe(false);
    expect((await check(Buffer.from(lines.join('\n')))).ok).toBe(false);
    expect((await check(Buffer.alloc(0))).ok).toBe(false);
    const seal = JSON.parse(lines.at(-1) ?? '') as { keys: { public_key: string }[] };
    const forged = { ...seal, keys: seal.keys.map((key) => ({ ...key, public_key: '5'.repeat(64) })) };
    const { problems } = await check(joined([...lines.slice(0, -1), JSON.stringify(forged)]));
    expect(problems.join()).toContain('is not what its id says');
  });

  it('says what is wrong and where', async () => {
    const lines = linesOf('payment');
    const at = lines.findIndex((line) => line.includes('PaymentRequestSigned'));
    const changed = lines.map((line, index) =>
      index === at ? line.replace('PaymentRequestSigned', 'PaymentRequestFailed') : line,
    );
    const { problems } = await check(joined(changed));
    expect(problems.join()).toContain(`line ${at + 1} (event 2 of payment_request-`);
  });
});
