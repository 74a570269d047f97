import { type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { newId } from '../../src/kernel/ids';
import { paymentInput, type PaymentScene } from '../support/payments';
import { swcArguments } from './load';

const CREATORS = 16;
const strangersPayment = paymentInput({ recipient: { recipientId: newId('rcp'), recipientVersionId: newId('rcv') } });

/** Node's arguments for one of the programs in servers/. */
export const program = (file: string): readonly string[] => [...swcArguments, join(__dirname, 'servers', file)];

export type Posted = Readonly<{ perSecond: number; p99: number; cpu: number; seconds: number }>;
export type Aim = Readonly<{
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  child: ChildProcess;
}>;

const JSON_TYPE = { 'content-type': 'application/json' };

/** The body of a payment request, for servers that do not look at whose recipient it is. */
export const posting = (url: string, child: ChildProcess): Aim => ({
  url,
  headers: JSON_TYPE,
  body: JSON.stringify(strangersPayment),
  child,
});

export const creating = (url: string, scene: PaymentScene, child: ChildProcess): Aim => ({
  url: `${url}/v1/payment-requests`,
  headers: { ...scene.headers, ...JSON_TYPE },
  body: JSON.stringify(paymentInput(scene)),
  child,
});

export async function post({ url, headers, body, child }: Aim, times: number, atOnce = CREATORS): Promise<Posted> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const latencies: number[] = [];
  const once = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const begun = performance.now();
      const lengths = { 'content-length': Buffer.byteLength(body) };
      const outgoing = request(url, { agent, method: 'POST', headers: { ...headers, ...lengths } }, (answer) => {
        if (answer.statusCode !== 200 && answer.statusCode !== 201) reject(new Error(`${url}: ${answer.statusCode}`));
        answer.resume().on('end', () => {
          latencies.push(performance.now() - begun);
          resolve();
        });
      });
      outgoing.on('error', reject).end(body);
    });
  const started = performance.now();
  const cpu = cpuMs(child);
  let left = times;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await once();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  agent.destroy();
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((one, other) => one - other);
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? 0;
  return { perSecond: times / seconds, p99, cpu: (cpuMs(child) - cpu) / times, seconds };
}

/** Processor time of all threads, as the kernel counts it: in ticks of ten milliseconds. */
export function cpuMs({ pid }: ChildProcess): number {
  const [, fields = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) * 10;
}
