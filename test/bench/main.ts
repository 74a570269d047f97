import 'reflect-metadata';
import { join } from 'node:path';
import { newId } from '../../src/kernel/ids';
import { paymentInput } from '../support/payments';
import { type Load, load, swcArguments, withServer } from './load';
import { createCostAt, paymentRequestRates, tokenCheckMicroseconds } from './payment-requests';
import { policyCosts } from './policies';
import { appendRate, fdatasyncRate, inTempFolder, rebuildRate } from './stores';
import { deadAmongMany, webhookRates } from './webhooks';

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const body = JSON.stringify({ name: 'Bench phone', platform: 'linux' });
const post = { method: 'POST', body, headers: { 'content-type': 'application/json' } } as const;

const paymentBody = JSON.stringify(
  paymentInput({ recipient: { recipientId: newId('rcp'), recipientVersionId: newId('rcv') } }),
);

const bare = (file: string, path: string, sent = body): Promise<Load> =>
  withServer([...swcArguments, join(__dirname, 'servers', file)], {}, (url) =>
    load(url + path, { ...post, body: sent }),
  );

/** Our service as `npm run start:prod` runs it, but for the rate limits. */
const service = (): Promise<{ register: Load; read: Load; megabytes: number }> =>
  inTempFolder((folder) =>
    withServer(['dist/src/main.js'], { DATA_DIR: folder, RATE_LIMITS: 'off', BASE_URL: '' }, async (url) => {
      const register = await load(`${url}/v1/wallet-devices`, post);
      const made = await fetch(`${url}/v1/wallet-devices`, post);
      const { device, device_token: token } = (await made.json()) as {
        device: { device_id: string };
        device_token: string;
      };
      const headers = { authorization: `Device ${device.device_id}:${token}` };
      const read = await load(`${url}/v1/wallet-devices/${device.device_id}`, { headers });
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const bytes = Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1] ?? 0);
      return { register, read, megabytes: bytes / 2 ** 20 };
    }),
  );

function row(name: string, { perSecond, p50, p99 }: Load, base?: Load): void {
  const ratio = base ? (perSecond / base.perSecond).toFixed(2) : '';
  write(`| ${name} | ${perSecond.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${ratio} |`);
}

async function http(): Promise<void> {
  write('| HTTP, 64 connections | requests/s | p50 ms | p99 ms | × validated echo |');
  write('|---|---|---|---|---|');
  row('bare node:http echo', await bare('bare-http.ts', '/'));
  const nest = await bare('bare-nest.ts', '/echo');
  row('bare NestJS echo, validated body', nest, nest);
  const echoed = await bare('bare-nest.ts', '/payment', paymentBody);
  row('bare NestJS echo, a payment request’s body validated', echoed, nest);
  const devices = await service();
  row('register a wallet device (durable, readable)', devices.register, nest);
  row('read a wallet device (authorised)', devices.read, nest);
  const payments = await paymentRequestRates();
  row('create a payment request (durable, authorised, readable)', payments.create, nest);
  row('read a payment request (authorised)', payments.read, nest);
  const ofEchoed = (payments.create.perSecond / echoed.perSecond).toFixed(2);
  write(`\ncreating is ${ofEchoed} × the echo of the same body`);
  const check = await tokenCheckMicroseconds();
  const share = (check * payments.read.perSecond) / 1e4;
  write(`token check: ${check.toFixed(1)} µs, ${share.toFixed(1)} % of an authorised read`);
  write(`service memory after the device load: ${devices.megabytes.toFixed(0)} MB\n`);
}

async function store(): Promise<void> {
  write('| Embedded store | per second | × fdatasync |');
  write('|---|---|---|');
  const sync = await fdatasyncRate();
  write(`| raw fdatasync, 512 bytes | ${sync.toFixed(0)} | 1.00 |`);
  for (const writers of [1, 16, 128]) {
    const rate = await appendRate(writers);
    write(`| append, ${writers} writers | ${rate.toFixed(0)} | ${(rate / sync).toFixed(2)} |`);
  }
  const rebuilt = await rebuildRate(200_000);
  write(
    `\nrebuild of ${rebuilt.events} events: ${rebuilt.seconds.toFixed(1)} s, ${rebuilt.perSecond.toFixed(0)} events/s, ` +
      `peak ${rebuilt.peakMegabytes.toFixed(0)} MB\n`,
  );
}

/** Whether a long history makes creating dearer. */
async function history(): Promise<void> {
  write('| Events in the log | creates/s | p50 ms | cost × short log |');
  write('|---|---|---|---|');
  const short = await createCostAt(10_000);
  for (const { events, create } of [short, await createCostAt(1_000_000)]) {
    const cost = short.create.perSecond / create.perSecond;
    write(`| ${events} | ${create.perSecond.toFixed(0)} | ${create.p50.toFixed(1)} | ${cost.toFixed(2)} |`);
  }
  write('');
}

async function webhooks(): Promise<void> {
  write('| Webhooks, receiver in a process of its own | per second | ratio |');
  write('|---|---|---|');
  const { bare, fetched, deliveries, fromBacklog } = await webhookRates();
  const webhookRow = (name: string, rate: number, base: number): void =>
    write(`| ${name} | ${rate.toFixed(0)} | ${(rate / base).toFixed(2)} |`);
  webhookRow('bare keep-alive POST loop, 8 connections', bare, bare);
  webhookRow('bare keep-alive fetch() loop, one after another', fetched, bare);
  webhookRow('deliveries (scheduled, projected, signed, sent, recorded)', deliveries, bare);
  webhookRow('deliveries of a backlog (signed, sent, recorded)', fromBacklog, bare);
  const { healthy, besideDead } = await deadAmongMany();
  webhookRow('to 99 endpoints beside one that answers', healthy, healthy);
  webhookRow('to 99 endpoints beside one that never answers', besideDead, healthy);
  write('');
}

/** Whether an intent under a policy costs more after a hundred thousand others. */
async function policies(): Promise<void> {
  write('| Policy | decide µs | durable reservation ms | × fresh | read after a restart ms | others wait at most ms |');
  write('|---|---|---|---|---|---|');
  // Two of a kind first: on a busy machine they differ too, and a smaller difference than theirs means nothing.
  const costs = await policyCosts([0, 0, 100_000]);
  for (const { reservations, decideMicros, intentMs, cold } of costs) {
    const ratio = intentMs / (costs[0]?.intentMs ?? NaN);
    const name = reservations === 0 ? 'fresh' : `${reservations} open reservations`;
    const figures = [decideMicros.toFixed(1), intentMs.toFixed(3), ratio.toFixed(2)];
    write(`| ${[name, ...figures, cold.ms.toFixed(0), cold.longestWaitMs.toFixed(1)].join(' | ')} |`);
  }
  write('');
}

const parts = { http, store, history, webhooks, policies };

/** All of it, or the parts named: `npm run bench -- http store`. */
async function main(): Promise<void> {
  const named = process.argv.slice(2).filter((name): name is keyof typeof parts => name in parts);
  for (const name of named.length > 0 ? named : (Object.keys(parts) as (keyof typeof parts)[])) await parts[name]();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
