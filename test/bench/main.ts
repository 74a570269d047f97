import 'reflect-metadata';
import { engineCosts } from './engines';
import { httpRates } from './http';
import { type Load } from './load';
import { createCosts, tokenCheckMicroseconds } from './payment-requests';
import { pipeline as pipelineFigures } from './pipeline';
import { policyCosts } from './policies';
import { rewindCosts } from './rewinds';
import { settlementRates } from './settlement';
import { appendRate, fdatasyncRate, rebuildRate } from './stores';
import { deadAmongMany, webhookRates } from './webhooks';

const write = (line: string): void => void process.stdout.write(`${line}\n`);
function row(name: string, { perSecond, p50, p99 }: Load, base?: Load): void {
  const ratio = base ? (perSecond / base.perSecond).toFixed(2) : '';
  write(`| ${name} | ${perSecond.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${ratio} |`);
}

async function http(): Promise<void> {
  const rates = await httpRates();
  const { echo, paymentEcho, create, readPayment } = rates;
  write('| HTTP, 64 connections | requests/s | p50 ms | p99 ms | × validated echo |');
  write('|---|---|---|---|---|');
  row('bare node:http echo', rates.nodeEcho);
  row('bare NestJS echo, validated body', echo, echo);
  row('bare NestJS echo, a payment request’s body validated', paymentEcho, echo);
  row('register a wallet device (durable, readable)', rates.register, echo);
  row('read a wallet device (authorised)', rates.readDevice, echo);
  row('create a payment request (durable, authorised, readable)', create, echo);
  row('read a payment request (authorised)', readPayment, echo);
  write(`\ncreating is ${(create.perSecond / paymentEcho.perSecond).toFixed(2)} × the echo of the same body`);
  const check = await tokenCheckMicroseconds();
  const share = (check * readPayment.perSecond) / 1e4;
  write(`token check: ${check.toFixed(1)} µs, ${share.toFixed(1)} % of an authorised read`);
  write(`anonymous memory of the service after all of it: ${rates.megabytes.toFixed(0)} MB\n`);
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

/** Whether a long history makes creating more expensive. */
async function history(): Promise<void> {
  write('| Events in the log | creates/s | p50 ms | cost × short log |');
  write('|---|---|---|---|');
  const lengths = { short: 10_000, long: 1_000_000 } as const;
  const costs = await createCosts(lengths.short, lengths.long);
  for (const which of ['short', 'long'] as const) {
    const { perSecond, p50 } = costs[which];
    const cost = costs.short.perSecond / perSecond;
    write(`| ${lengths[which]} | ${perSecond.toFixed(0)} | ${p50.toFixed(1)} | ${cost.toFixed(2)} |`);
  }
  write(`\nanonymous memory of the service with the long log: ${costs.megabytes.toFixed(0)} MB\n`);
}

async function webhooks(): Promise<void> {
  write('| Webhooks, receiver in a process of its own | per second | × one loop | × eight loops |');
  write('|---|---|---|---|');
  const { loop, loops, fetched, deliveries, fromBacklog } = await webhookRates();
  const webhookRow = (name: string, rate: number): void =>
    write(`| ${name} | ${rate.toFixed(0)} | ${(rate / loop).toFixed(2)} | ${(rate / loops).toFixed(2)} |`);
  webhookRow('bare keep-alive POST loop, one after another', loop);
  webhookRow('the same, eight loops at once', loops);
  webhookRow('bare keep-alive fetch() loop, one after another', fetched);
  webhookRow('deliveries (scheduled, projected, signed, sent, recorded)', deliveries);
  webhookRow('deliveries of a backlog (signed, sent, recorded)', fromBacklog);
  const { healthy, besideDead } = await deadAmongMany();
  write('\n| Deliveries to 99 endpoints | per second | ratio |');
  write('|---|---|---|');
  write(`| beside one that answers | ${healthy.toFixed(0)} | 1.00 |`);
  write(`| beside one that never answers | ${besideDead.toFixed(0)} | ${(besideDead / healthy).toFixed(2)} |\n`);
}

/** Whether an intent under a policy costs more with a hundred thousand open reservations. */
async function policies(): Promise<void> {
  write('| Policy | decide µs | durable reservation ms | × fresh | read after a restart ms | others wait at most ms |');
  write('|---|---|---|---|---|---|');
  // Two identical ones first: on a busy machine they differ too, and a smaller difference means nothing.
  const costs = await policyCosts([0, 0, 100_000]);
  for (const { reservations, decideMicros, intentMs, cold } of costs) {
    const ratio = intentMs / (costs[0]?.intentMs ?? NaN);
    const name = reservations === 0 ? 'fresh' : `${reservations} open reservations`;
    const figures = [decideMicros.toFixed(1), intentMs.toFixed(3), ratio.toFixed(2)];
    write(`| ${[name, ...figures, cold.ms.toFixed(0), cold.longestWaitMs.toFixed(1)].join(' | ')} |`);
  }
  write('');
}

/** One endpoint, 16 creators, all threads counted: what a merchant's traffic costs and how soon it is delivered. */
async function pipeline(): Promise<void> {
  const found = await pipelineFigures();
  const figures: readonly (readonly [string, number, string])[] = [
    ['processor time of a create ÷ validated echo', found.createCpu / found.echoCpu, '≤ 1.3'],
    ['of a create and its delivery ÷ validated echo', found.deliveredCpu / found.echoCpu, '≤ 3'],
    ['delivered/s ÷ published/s while publishing', found.deliveredWhilePublishing / found.published, '≥ 0.95'],
    ['lag after the last, s', found.lagMs / 1000, '≤ 0.25'],
    ['backlog of one endpoint, drained/s ÷ created/s', found.drained / found.created, '≥ 3'],
    ['p99 of a create beside a draining backlog ÷ without', found.p99BesideDrain / found.p99Alone, '≤ 1.5'],
    ['start to ready, s', found.readyMs / 1000, '≤ 1.2; Node 20: ≤ 2'],
  ];
  const { http, create, sent, createdPerSecond } = found.floors;
  // What the framework adds to a request, which no service on it can do without.
  const shell = found.echoCpu - http;
  const against: readonly (readonly [string, number, number])[] = [
    ['processor time of a create ÷ validated echo', create + shell, found.createCpu],
    ['of a create and its delivery ÷ validated echo', sent + shell, found.deliveredCpu],
  ];
  write('| Pipeline, one endpoint, 16 creators | now | goal |');
  write('|---|---|---|');
  for (const [name, value, goal] of figures) write(`| ${name} | ${value.toFixed(2)} | ${goal} |`);
  write('\n| Beside the least it can cost here | least | now | now ÷ least |');
  write('|---|---|---|---|');
  for (const [name, least, now] of against) {
    const ratios = [least / found.echoCpu, now / found.echoCpu, now / least];
    write(`| ${name} | ${ratios.map((ratio) => ratio.toFixed(2)).join(' | ')} |`);
  }
  write(
    `\nms of processor time: node:http ${http.toFixed(3)}, stores alone ${create.toFixed(3)}, with sending ${sent.toFixed(3)} ` +
      `(${createdPerSecond.toFixed(0)} a second), echo ${found.echoCpu.toFixed(3)}, create ${found.createCpu.toFixed(3)}, with its delivery ` +
      `${found.deliveredCpu.toFixed(3)}; s to ready at the first start ${(found.firstReadyMs / 1000).toFixed(2)}; a second: ${found.created.toFixed(0)} created, ${found.published.toFixed(0)} with ` +
      `deliveries beside, ${found.drained.toFixed(0)} drained\n`,
  );
}

/** The engine pair next to the embedded one, in the same run. */
async function engines(): Promise<void> {
  const { creates, idle } = await engineCosts();
  write(
    '| Callers | creates/s, embedded | on the engines | ratio (goal ≥ 0.5) | if the service cost nothing | ratio | ms of processor time each | ratio (goal ≤ 2) |',
  );
  write('|---|---|---|---|---|---|---|---|');
  for (const { callers, embedded, engines: own, mostOnEngines } of creates) {
    const rates = [
      embedded.perSecond.toFixed(0),
      own.perSecond.toFixed(0),
      (own.perSecond / embedded.perSecond).toFixed(2),
      mostOnEngines.toFixed(0),
      (mostOnEngines / embedded.perSecond).toFixed(2),
    ];
    const costs = [`${embedded.cpu.toFixed(2)}, ${own.cpu.toFixed(2)}`, (own.cpu / embedded.cpu).toFixed(2)];
    write(`| ${[callers, ...rates, ...costs].join(' | ')} |`);
  }
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  write(
    `\nprocessor use when idle: ${percent(idle.embedded)} embedded, ${percent(idle.engines)} on the engines (goal ≤ 1 %)\n`,
  );
}

/** What looking up 10,000 confirmed payments on the network costs, compared with lookups and confirmations alone. */
async function settlement(): Promise<void> {
  write('| Settlement, network’s server in a process of its own | per second | × 64 loops | × confirmations |');
  write('|---|---|---|---|');
  const { looks, looksAtOnce, confirmations, witnessed, fromBacklog } = await settlementRates();
  const settlementRow = (name: string, rate: number): void =>
    write(
      `| ${name} | ${rate.toFixed(0)} | ${(rate / looksAtOnce).toFixed(2)} | ${(rate / confirmations).toFixed(2)} |`,
    );
  settlementRow('bare look (transaction, operations) over a kept connection, one after another', looks);
  settlementRow('the same, 64 loops at once', looksAtOnce);
  settlementRow('confirmations (durable, projected), nobody looking', confirmations);
  settlementRow('10,000 confirmations, witnessed (projected, looked for, compared, recorded, projected)', witnessed);
  settlementRow('a backlog of 10,000 (looked for, compared, recorded, projected)', fromBacklog);
  write('');
}

/** Whether live deliveries wait for a rewind of the same endpoint. */
async function rewinds(): Promise<void> {
  write(
    '| Receiver answers after | live p50 ms, alone and beside | ratio (goal ≤ 1.05) | p95 | ratio | sent again/s |',
  );
  write('|---|---|---|---|---|---|');
  for (const delay of [0, 20]) {
    const { alone, beside } = await rewindCosts(delay);
    const compared = (name: 'p50' | 'p95'): readonly string[] => [
      `${alone[name].toFixed(2)}, ${beside[name].toFixed(2)}`,
      (beside[name] / alone[name]).toFixed(2),
    ];
    const cells = [`${delay} ms`, ...compared('p50'), ...compared('p95'), beside.resentPerSecond.toFixed(0)];
    write(`| ${cells.join(' | ')} |`);
  }
  write('');
}

const parts = { http, store, history, webhooks, pipeline, policies, settlement, rewinds };
/** Needs servers, so it runs only when asked for. */
const onDemand = { engines };

/** All parts, or only those named: `npm run bench -- http store`. */
async function main(): Promise<void> {
  const all: Readonly<Record<string, () => Promise<void>>> = { ...parts, ...onDemand };
  const named = process.argv.slice(2).filter((name) => Object.hasOwn(all, name));
  for (const name of named.length > 0 ? named : Object.keys(parts)) await all[name]?.();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
