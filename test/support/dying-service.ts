import { join } from 'node:path';
import type * as Config from '../../src/platform/config';
import type * as Embedded from '../../src/platform/event-store/embedded/embedded-event-store';
import type * as Logger from '../../src/platform/logging/logger';
import type * as Clock from '../../src/kernel/clock';
import type * as Networks from '../../src/networks';
import type * as Service from '../../src/app/service';

// A program: the service, which kills itself when all events named in DIE_AFTER are in the log and none of their
// effects (the events named in EFFECTS) is.
const load = <T>(file: string): T => module.require(join(__dirname, '../..', 'dist/src', file)) as T;
const listed = (variable: string): Set<string> => new Set((process.env[variable] ?? '').split(','));

const awaited = listed('DIE_AFTER');
const effects = listed('EFFECTS');
let dying = false;
const never = new Promise<never>(() => undefined);

const { EmbeddedEventStore } = load<typeof Embedded>('platform/event-store/embedded/embedded-event-store');
const append = Reflect.get(EmbeddedEventStore.prototype, 'append');
EmbeddedEventStore.prototype.append = async function (this: Embedded.EmbeddedEventStore, ...args) {
  const types = args[2].map(({ type }) => type);
  if (dying && types.some((type) => effects.has(type))) return never;
  const spends = types.filter((type) => awaited.has(type));
  if (spends.length > 0) dying = true;
  const result = await append.apply(this, args);
  if (spends.length === 0 || result.kind === 'conflict') return result;
  spends.forEach((type) => awaited.delete(type));
  if (awaited.size === 0) process.kill(process.pid, 'SIGKILL');
  return never;
};

async function main(): Promise<void> {
  const { networkNames } = load<typeof Networks>('networks');
  const config = load<typeof Config>('platform/config').readConfig(process.env, networkNames);
  const logger = load<typeof Logger>('platform/logging/logger').createLogger(config.logLevel);
  const clock = load<typeof Clock>('kernel/clock').systemClock;
  const { url } = await load<typeof Service>('app/service').startService({ config, clock, logger });
  process.stdout.write(`svc listens on ${url}\n`);
}

void main();
