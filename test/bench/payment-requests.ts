import { type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../../src/platform/event-store/embedded/open-embedded-event-store';
import { encodeEvent } from '../../src/platform/event-store/event-codec';
import { newId } from '../../src/kernel/ids';
import { pause } from '../../src/kernel/pause';
import { type PaymentRequestEvent } from '../../src/events/payment-request.events';
import {
  broadcasted,
  confirmed,
  created,
  signed,
} from '../../src/capabilities/payment-requests/payment-request.fixtures';
import { paymentInput, type PaymentScene, setPaymentScene, startPaymentDns } from '../support/payments';
import { prepareScene } from '../support/prepared-scene';
import { startTestService } from '../support/service';
import { askGuard } from '../support/use-connection';
import { inTurns, type Load, residentMegabytes, type Target, withServer } from './load';
import { inTempFolder } from './stores';
import { START_COMMAND } from '../support/start-command';

export const SERVICE = START_COMMAND;
const CHECKS = 20_000;
const context = { requestId: 'bench', actor: { kind: 'bench', id: 'bench' } };
/** The log is filled with requests that ran to confirmation. */
const HISTORY: readonly PaymentRequestEvent[] = [created, signed, broadcasted, confirmed];

export type CreateCost = Readonly<{ short: Load; long: Load; megabytes: number }>;

/** Microseconds of processor time for one check of a connection token: two folds, up to date with the log. */
export const tokenCheckMicroseconds = (): Promise<number> =>
  inTempFolder(async (folder) => {
    const { dns, env } = await startPaymentDns();
    const service = await startTestService({ env: { ...env, LOG_LEVEL: 'warn' }, dataDir: folder });
    const { connectionToken } = (await setPaymentScene(service, dns)).connection;
    const check = async (times: number): Promise<void> => {
      for (let count = 0; count < times; count += 1) await askGuard(service, connectionToken);
    };
    await check(CHECKS);
    const begun = process.cpuUsage();
    await check(CHECKS);
    const { user, system } = process.cpuUsage(begun);
    await service.stop();
    await dns.close();
    return (user + system) / CHECKS;
  });

/** What creating costs with a short log and a long one, measured in turns: the length should not matter. */
export const createCosts = (short: number, long: number): Promise<CreateCost> =>
  withHistory(short, (beside) =>
    withHistory(long, async (target, child) => {
      const costs = await inTurns({ short: beside, long: target });
      return { ...costs, megabytes: residentMegabytes(child) };
    }),
  );

const withHistory = <T>(events: number, work: (target: Target, child: ChildProcess) => Promise<T>): Promise<T> =>
  inTempFolder(async (folder) => {
    const scene = await prepareScene(folder);
    await fill(join(folder, 'events'), events);
    return withServer(SERVICE, settings(folder), async (url, child) => {
      await untilReadable(url);
      return work(creating(url, scene), child);
    });
  });

export const settings = (folder: string) => ({ DATA_DIR: folder, RATE_LIMITS: 'off', BASE_URL: '', LOG_LEVEL: 'warn' });

/** Without an idempotency key every call creates a new request. */
export const creating = (url: string, scene: PaymentScene): Target => ({
  url: `${url}/v1/payment-requests`,
  options: {
    method: 'POST',
    headers: { ...scene.headers, 'content-type': 'application/json' },
    body: JSON.stringify(paymentInput(scene)),
  },
});

async function fill(directory: string, events: number): Promise<void> {
  const store = await openEmbeddedEventStore(directory);
  const pending = new Set<Promise<unknown>>();
  for (let written = 0; written < events; written += HISTORY.length) {
    const named = { request_id: newId('pr'), connection_id: `con_bench_${written % 1000}` };
    const history = HISTORY.map(({ type, data }) => ({ type, data: { ...data, ...named } }));
    const append = store.append(
      `payment_request-${named.request_id}`,
      0,
      history.map((event) => encodeEvent(event, context, new Date().toISOString())),
    );
    pending.add(append);
    void append.then(() => pending.delete(append));
    if (pending.size >= 256) await Promise.race(pending);
  }
  await Promise.all(pending);
  await store.close();
}

/** Read model, reactors and transparency tree replay the whole log first; that is measured elsewhere. */
async function untilReadable(url: string): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const lags = ['projection', 'reactor', 'transparency'].map((name) => `svc_${name}_lag_seconds 0`);
    if (lags.every((line) => metrics.includes(`\n${line}\n`))) return;
    await pause(250);
  }
}
