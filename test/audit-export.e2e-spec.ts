import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { canonical, type Verdict } from '../src/audit/proofs';
import { verdictOnExport } from '../src/audit/cli/check';
import { proofOf } from './support/audit';
import { auditHere } from './support/audit-command';
import { sizeFrom } from './support/figures';
import { createPayment, type PaymentScene, reportPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService } from './support/service';

/** Single-byte changes over all three kinds of export; ten thousand in the full-size run. */
const CHANGES = sizeFrom('EXPORT_CHANGES', 250);

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

  it.each(kinds)('of %s is valid as written', async (kind) => {
    expect(await check(exported[kind] as Buffer)).toMatchObject({ ok: true, problems: [] });
  });

  it.each(kinds)('of %s is invalid after any single-byte change', async (kind) => {
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

  it.each(kinds)('of %s is invalid if an event is removed, duplicated, moved or invented', async (kind) => {
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

  /** Reseals a file like somebody who knows the format but has no key. */
  const resealed = (lines: readonly string[], header: object = {}): Buffer => {
    const first = canonical({ ...(JSON.parse(lines[0] ?? '') as object), ...header });
    const body = [first, ...lines.slice(1, -1)];
    const seal = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
    const sha256 = createHash('sha256').update(joined(body)).digest('hex');
    return joined([...body, canonical({ ...seal, events: body.length - 1, sha256 })]);
  };
  const event = (line: string) => JSON.parse(line) as { stream: string; version: number };

  it.each(kinds)(
    'of %s is invalid if events are omitted, swapped or relabelled and the file is resealed',
    async (kind) => {
      const lines = linesOf(kind);
      const events = lines.length - 2;
      expect((await check(resealed(lines))).problems).toEqual([]);
      const others = linesOf(kind === 'merchant' ? 'payment' : 'merchant').slice(1, -1);
      const choice = fc.record({
        way: fc.constantFrom(
          'removal',
          'truncation',
          'beginning',
          'stream',
          'swap',
          'foreign',
          'relabelled',
          'scope',
          'stripped',
        ),
        at: fc.integer({ min: 1, max: events }),
        other: fc.nat(others.length - 1),
      });
      await fc.assert(
        fc.asyncProperty(choice, async ({ way, at, other }) => {
          const [line = '', foreign = ''] = [lines[at], others[other]];
          const edit = (next: readonly string[]): Buffer => resealed(next);
          const tampered = {
            removal: () => edit(lines.filter((_, index) => index !== at)),
            truncation: () => edit([...lines.slice(0, at), lines.at(-1) ?? '']),
            beginning: () => edit([lines[0] ?? '', ...lines.slice(at + 1)]),
            stream: () =>
              edit(
                lines.filter((one, index) => index === 0 || index > events || event(one).stream !== event(line).stream),
              ),
            swap: () => {
              const next = at === events ? 1 : at + 1;
              return edit(
                lines.map((one, index) => (index === at ? (lines[next] ?? '') : index === next ? line : one)),
              );
            },
            foreign: () => edit(lines.map((one, index) => (index === at ? foreign : one))),
            relabelled: () =>
              edit(lines.map((one, index) => (index === at ? one.replace(/"stream":"(\w+)-/, '"stream":"x$1-') : one))),
            scope: () => resealed(lines, { scope: 'payment pr_another' }),
            stripped: () => {
              const { statement: _, ...seal } = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
              return edit([...lines.slice(0, at), canonical(seal)]);
            },
          }[way]();
          const verdict = await check(tampered);
          const same = tampered.equals(exported[kind] as Buffer);
          expect([way, at, verdict.ok && !same]).toEqual([way, at, false]);
        }),
        { numRuns: Math.ceil(CHANGES / kinds.length) },
      );
    },
  );

  it('that was truncated, or resealed by somebody else, is invalid', async () => {
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
