import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './support/free-port';
import { type DnsResponder } from './support/dns-responder';
import {
  AdvanceClock,
  checkEverything,
  CreateRequest,
  newModel,
  ReadRequest,
  ReportStatus,
  RestartService,
  type World,
} from './support/payment-model';
import { connectAnotherWallet, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';

/** 200 in a full-size run. */
const RUNS = Number(process.env['CHAOS_RUNS'] ?? 12);

describe('payment requests under any sequence of operations', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-model-'));
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let env: Readonly<Record<string, string>>;
  let time = Date.parse('2030-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(time) };
  const start = (): Promise<TestService> => startTestService({ env, clock, dataDir });

  beforeAll(async () => {
    const dnsAndSettings = await startPaymentDns();
    dns = dnsAndSettings.dns;
    // Keeps the port across restarts, as clients expect.
    env = { ...dnsAndSettings.env, PORT: String(await freePort()) };
    service = await start();
    scene = await setPaymentScene(service, dns, { clock });
  });
  afterAll(async () => {
    await service.stop();
    await dns.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('match a simple model: none lost, none duplicated', async () => {
    const create = fc
      .tuple(fc.nat(7), fc.constantFrom('1', '1', '2'))
      .map(([name, amount]) => new CreateRequest(`key-${name}`, amount));
    const recent = fc.constantFrom(0, 0, 0, 1);
    const report = fc
      .tuple(
        recent,
        fc.constantFrom('next', 'next', 'next', 'signed', 'broadcasted', 'confirmed', 'failed', 'rejected'),
        fc.constantFrom('h1', 'h1', 'h1', 'h2'),
      )
      .map(([which, status, detail]) => new ReportStatus(which, status, detail));
    const advance = fc.constantFrom(1_000, 30_000, 60_000, 300_000).map((each) => new AdvanceClock(each));
    const read = recent.map((which) => new ReadRequest(which));
    // All entries are equally likely, so the slow restart is listed once.
    const kinds = [
      ...Array.from({ length: 6 }, () => create),
      ...Array.from({ length: 12 }, () => report),
      ...[advance, advance, read, fc.constant(new RestartService())],
    ];
    const commands = fc.commands(kinds, { maxCommands: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const world: World = {
          scene: await connectAnotherWallet(service, scene),
          url: () => service.url,
          advance: (milliseconds) => (time += milliseconds),
          restart: async () => {
            await service.stop();
            service = await start();
          },
        };
        const model = newModel(time);
        await fc.asyncModelRun(() => ({ model, real: world }), sequence);
        await checkEverything(model, world);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
