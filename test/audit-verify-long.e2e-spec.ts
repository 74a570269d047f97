import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projections } from '../projections';
import { buildAuditIndex } from '../src/audit/log/build-index';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { LOG_START, type NewEvent } from '../src/platform/event-store/event-store.port';
import { systemClock } from '../src/kernel/clock';
import { newId } from '../src/kernel/ids';
import { openEmbeddedReadModel } from '../src/platform/read-model/embedded/open';
import { Projector } from '../src/platform/projecting/projector';
import { PROGRAM } from './support/audit-command';
import { someMetadata } from './support/events';
import { createPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService } from './support/service';

/** 200,000 in a full-size run. */
const EVENTS = Number(process.env['AUDIT_EVENTS'] ?? 2_000);
const PER_PAYMENT = 4;
const AT_ONCE = 200;
const MEGABYTE = 1024;

/** The anonymous memory of a process in megabytes, without mapped store files; 0 if unknown. */
function heldBy(pid: number): number {
  try {
    const [, kilobytes = '0'] = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / MEGABYTE);
  } catch {
    return 0;
  }
}

describe('verify of a long log', () => {
  it('finds nothing wrong, and memory use does not grow with the number of events', async () => {
    const { dns, env } = await startPaymentDns();
    const service = await startTestService({ env });
    await createPayment(service, await setPaymentScene(service, dns));
    await service.stop();
    await dns.close();
    await lengthen(service.dataDir);

    const child = spawn(process.execPath, [...PROGRAM, 'verify'], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: service.dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const samples: number[] = [];
    const sampling = setInterval(() => samples.push(heldBy(child.pid ?? 0)), 500);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [out, notes, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    clearInterval(sampling);
    await service.stopAndForget();

    const summary = out.trim().split('\n').at(-1) ?? '';
    const every = Math.max(1, Math.floor(samples.length / 40));
    const shown = samples.filter((_, index) => index % every === 0).join(' ');
    process.stderr.write(`${notes.trim()}; ${summary}; memory in MB: ${shown}, at most ${Math.max(...samples)}\n`);
    expect([code, out]).toEqual([0, expect.stringMatching(/: 0 finding\(s\)\n$/)]);
    expect(Math.max(0, ...samples)).toBeLessThan(500);
  }, 1_800_000);
});

/** Adds payments modelled on the existing one, each from creation to confirmation, and projects them. */
async function lengthen(dataDir: string): Promise<void> {
  const store = await openEmbeddedEventStore(join(dataDir, 'events'));
  const events = await store.readAll(LOG_START, 1_000);
  const { data } = events.find(({ type }) => type === 'PaymentRequestCreated') as NewEvent;
  const { connection_id, device_id, created_at: at } = data as Record<string, string>;
  const add = async (): Promise<void> => {
    const request_id = newId('pr');
    const move = (type: string, previous_status: string, more: object = {}): NewEvent => ({
      type,
      data: { request_id, connection_id, transaction_id: null, device_id, previous_status, at, ...more },
      metadata: someMetadata(),
    });
    const created = { ...data, request_id, idempotency_key: null };
    await store.append(`payment_request-${request_id}`, 0, [
      { type: 'PaymentRequestCreated', data: created, metadata: someMetadata() },
      move('PaymentRequestSigned', 'pending'),
      move('PaymentRequestBroadcasted', 'signed', { transaction_hash: request_id }),
      move('PaymentRequestConfirmed', 'broadcasted', { transaction_hash: request_id, ledger: null }),
    ]);
  };
  for (let made = 0; made < EVENTS / PER_PAYMENT; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, add));
  const model = await openEmbeddedReadModel(join(dataDir, 'read-model'));
  const quiet = { info: () => undefined, warn: () => undefined };
  await new Projector(store, model, projections, systemClock, quiet).rebuild(() => undefined);
  await buildAuditIndex(store, model);
  await model.close();
  await store.close();
}
