import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projections } from '../../projections';
import { openEmbeddedEventStore } from '../../src/platform/event-store/embedded/open-embedded-event-store';
import { encodeEvent } from '../../src/platform/event-store/event-codec';
import { type EventStore, type NewEvent } from '../../src/platform/event-store/event-store.port';
import { systemClock, timestamp } from '../../src/kernel/clock';
import { newId } from '../../src/kernel/ids';
import { openEmbeddedReadModel } from '../../src/platform/read-model/embedded/open';
import { Projector } from '../../src/platform/projecting/projector';

const SECONDS = 3;
const context = { requestId: 'bench', actor: { kind: 'bench', id: 'bench' } };

export async function inTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How often per second this disk can sync 512 bytes, one write after another: the limit of every durable store. */
export const fdatasyncRate = (): Promise<number> =>
  inTempFolder(async (folder) => {
    const file = openSync(join(folder, 'probe'), 'w');
    const block = Buffer.alloc(512);
    const until = Date.now() + SECONDS * 1000;
    let count = 0;
    for (; Date.now() < until; count += 1) {
      writeSync(file, block);
      fdatasyncSync(file);
    }
    closeSync(file);
    return count / SECONDS;
  });

export const appendRate = (writers: number): Promise<number> =>
  inTempFolder(async (folder) => {
    const store = await openEmbeddedEventStore(folder);
    const until = Date.now() + SECONDS * 1000;
    let count = 0;
    const write = async (): Promise<void> => {
      for (; Date.now() < until; count += 1) {
        const id = newId('dev');
        await store.append(`wallet_device-${id}`, 0, [registered(id)]);
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
    await store.close();
    return count / SECONDS;
  });

export type Rebuild = Readonly<{ events: number; seconds: number; perSecond: number; peakMegabytes: number }>;

export const rebuildRate = (events: number): Promise<Rebuild> =>
  inTempFolder(async (folder) => {
    const store = await openEmbeddedEventStore(join(folder, 'events'));
    await fill(store, events);
    const model = await openEmbeddedReadModel(join(folder, 'read-model'));
    const quiet = { info: () => undefined, warn: () => undefined };
    const projector = new Projector(store, model, projections, systemClock, quiet);
    let peak = 0;
    const started = Date.now();
    const applied = await projector.rebuild(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    });
    const seconds = (Date.now() - started) / 1000;
    await model.close();
    await store.close();
    return { events: applied, seconds, perSecond: applied / seconds, peakMegabytes: peak / 2 ** 20 };
  });

/** Streams of four events each: registered, rotated twice, removed. */
async function fill(store: EventStore, events: number): Promise<void> {
  const pending = new Set<Promise<unknown>>();
  for (let written = 0; written < events; written += 4) {
    const id = newId('dev');
    const at = timestamp(new Date());
    const rotated = { type: 'WalletDeviceTokenRotated', data: { device_id: id, token_hash: 'h', rotated_at: at } };
    const removed = { type: 'WalletDeviceRemoved', data: { device_id: id, removed_at: at } };
    const later = [rotated, rotated, removed].map((event) => encodeEvent(event, context, at));
    const append = store.append(`wallet_device-${id}`, 0, [registered(id), ...later]);
    pending.add(append);
    void append.then(() => pending.delete(append));
    if (pending.size >= 256) await Promise.race(pending);
  }
  await Promise.all(pending);
}

function registered(id: string): NewEvent {
  const at = timestamp(new Date());
  const data = { device_id: id, name: 'Bench phone', platform: 'linux', token_hash: 'a'.repeat(64), registered_at: at };
  return encodeEvent({ type: 'WalletDeviceRegistered', data }, context, at);
}
