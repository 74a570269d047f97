import 'reflect-metadata';
import { join } from 'node:path';
import { type Load, load, swcArguments, withServer } from './load';
import { appendRate, fdatasyncRate, inTempFolder, rebuildRate } from './stores';

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const body = JSON.stringify({ name: 'Bench phone', platform: 'linux' });
const post = { method: 'POST', body, headers: { 'content-type': 'application/json' } } as const;

const bare = (file: string, path: string): Promise<Load> =>
  withServer([...swcArguments, join(__dirname, 'servers', file)], {}, (url) => load(url + path, post));

/** Our service as `npm run start:prod` runs it, but for the rate limits. */
const service = (): Promise<{ register: Load; read: Load; idle: number; peak: number }> =>
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
      const rss = Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1] ?? 0) / 2 ** 20;
      return { register, read, idle: 0, peak: rss };
    }),
  );

function row(name: string, { perSecond, p50, p99 }: Load, base?: Load): void {
  const ratio = base ? (perSecond / base.perSecond).toFixed(2) : '';
  write(`| ${name} | ${perSecond.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${ratio} |`);
}

async function main(): Promise<void> {
  write('| HTTP, 64 connections | requests/s | p50 ms | p99 ms | × validated echo |');
  write('|---|---|---|---|---|');
  const http = await bare('bare-http.ts', '/');
  row('bare node:http echo', http);
  const nest = await bare('bare-nest.ts', '/echo');
  row('bare NestJS echo, validated body', nest, nest);
  const ours = await service();
  row('register a wallet device (durable, readable)', ours.register, nest);
  row('read a wallet device (authorised)', ours.read, nest);
  write(`\nservice memory after the load: ${ours.peak.toFixed(0)} MB\n`);

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
      `peak ${rebuilt.peakMegabytes.toFixed(0)} MB`,
  );
}

void main();
