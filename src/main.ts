import { onStopSignal } from './app/stop-signals';
import './app/compile-cache';
import 'reflect-metadata';
import { type Config, ConfigError, readConfig } from './platform/config';
import { createLogger } from './platform/logging/logger';
import { systemClock } from './kernel/clock';
import { pause } from './kernel/pause';
import { exitInTime } from './app/exit-in-time';
import { greeting, helpText } from './app/help';
import { killIfExitHangs } from './app/kill-if-exit-hangs';
import { networkNames } from './networks';
import { settings } from './app/settings';
import { prepareDataDirectory } from './app/data-directory';
import { type Service } from './app/service';
import { startRefusal } from './app/start-refusal';
import { ServiceThread } from './app/threads/service-thread';
import { openEventStore } from './platform/event-store/open-event-store';

/** After a stop signal, how long a start in progress may take to finish: it leaves most of ten seconds to the stop. */
const START_TIMEOUT_MS = 2_000;

/** One line on stderr that says what to fix; scripts read the exit code. */
function die(message: string): never {
  process.stderr.write(`svc: ${message.split('\n')[0]}\n`);
  process.exit(1);
}

function configOrDie(): Config {
  try {
    return readConfig(process.env, networkNames);
  } catch (error) {
    if (error instanceof ConfigError) die(error.message);
    throw error;
  }
}

/** A start that fails now, or hangs because a store is unavailable, has acknowledged nothing and is abandoned. */
async function stopSoon(starting: Promise<Service>, onStopped: () => void): Promise<void> {
  const service = await Promise.race([starting.catch(() => undefined), pause(START_TIMEOUT_MS)]);
  await service?.stop();
  if (service) onStopped();
}

/** A request for help or an unknown argument must not start the service. */
function handleArguments(words: readonly string[]): void {
  if (words.length === 0) return;
  if (words.every((word) => ['--help', '-h', 'help'].includes(word))) {
    process.stdout.write(helpText(settings));
    process.exit(0);
  }
  die('takes no arguments except --help, which lists the settings; they are environment variables');
}

async function main(): Promise<void> {
  handleArguments(process.argv.slice(2));
  const config = configOrDie();
  const logger = createLogger(config.logLevel);
  // Only embedded stores can be shared between threads; with the other stores, separate processes do this work.
  const isEmbedded = config.eventStore.kind === 'embedded' && config.readStore.kind === 'embedded';
  const begin = async (): Promise<Service> => {
    const sends = isEmbedded ? new ServiceThread('sends-thread.js') : undefined;
    prepareDataDirectory(config);
    const eventStore = openEventStore(config, sends?.front);
    // Before most of the program is loaded: a second process on the same directory says so at once.
    if (config.eventStore.kind === 'embedded') await eventStore;
    // The error of an engine is for the service, which waits for it.
    else eventStore.catch(() => undefined);
    const { startService } = await import('./app/service');
    return startService({ config, clock: systemClock, logger, eventStore }, sends);
  };
  let hasStopped = false;
  if (config.eventStore.kind === 'embedded' || config.readStore.kind === 'embedded') killIfExitHangs(() => hasStopped);
  let isStopping = false;
  const starting = begin();
  onStopSignal(() => {
    isStopping = true;
    const stopped = stopSoon(starting, () => (hasStopped = true));
    void exitInTime(stopped, logger);
  });
  const service = await starting.catch((error: unknown) => {
    if (isStopping) return undefined;
    throw startRefusal(error, config);
  });
  if (isStopping || service === undefined) return;

  process.stdout.write(greeting(service.url, config));
}

main().catch((error: unknown) => die(error instanceof Error ? error.message : String(error)));
