import { onStopSignal } from './app/stop-signals';
import './app/compile-cache';
import 'reflect-metadata';
import { type Config, ConfigError, readConfig } from './platform/config';
import { createLogger } from './platform/logging/logger';
import { systemClock } from './kernel/clock';
import { pause } from './kernel/pause';
import { boundGarbage } from './app/heap-growth';
import { helpText } from './app/help';
import { networkNames } from './networks';
import { settings } from './app/settings';
import { type Service, startService } from './app/service';
import { startRefusal } from './app/start-refusal';
import { ServiceThread } from './app/threads/service-thread';

/** Once asked to stop, for a start that is nearly done to end in order. The rest of ten seconds is for the stop itself. */
const START_MAY_TAKE_MS = 2_000;
const STOP_MAY_TAKE_MS = 15_000;
/** Of one process: a disk that gives back other bytes time after time is for somebody to look at. */
const MOST_DAMAGES = 3;

/** One line on stderr that says what to mend; scripts read the exit code. */
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

/** Stops what has started. A start that fails now, or does not come to its end while a store is away, has promised nobody anything. */
async function stopSoon(starting: Promise<Service>): Promise<void> {
  const service = await Promise.race([starting.catch(() => undefined), pause(START_MAY_TAKE_MS)]);
  await service?.stop();
}

/** Whoever asks what this is, or means something it does not know, gets no running service. */
function readWords(words: readonly string[]): void {
  if (words.length === 0) return;
  if (words.every((word) => ['--help', '-h', 'help'].includes(word))) {
    process.stdout.write(helpText(settings));
    process.exit(0);
  }
  die('takes no arguments except --help, which lists the settings; they are environment variables');
}

/** A store whose file is damaged may not close; then only another process can open it anew. */
function stopInTime(service: Service): Promise<void> {
  const tooLate = pause(STOP_MAY_TAKE_MS).then(() => {
    throw new Error(
      'the damaged read model could not be closed: start the service again, and it will rebuild it from the log',
    );
  });
  return Promise.race([service.stop(), tooLate]);
}

async function main(): Promise<void> {
  readWords(process.argv.slice(2));
  const config = configOrDie();
  const logger = createLogger(config.logLevel);
  // Only embedded stores can be shared between threads; elsewhere there are processes for that.
  const isEmbedded = config.eventStore.kind === 'embedded' && config.readStore.kind === 'embedded';
  const begin = (): Promise<Service> =>
    startService(
      { config, clock: systemClock, logger, onDamage },
      isEmbedded ? new ServiceThread('sends-thread.js') : undefined,
    );
  let isStopping = false;
  let damages = 0;
  /** What is only a copy is no reason to end: the same process begins again, and finds it marked to be built from the log. */
  const onDamage = (err: Error): void => {
    damages += 1;
    if (isStopping) return;
    if (damages > MOST_DAMAGES) {
      logger.fatal({ err }, 'the read model keeps being damaged: check the disk');
      process.exitCode = 1;
      return void process.kill(process.pid, 'SIGTERM');
    }
    logger.error({ err }, 'the read model is damaged: restarting and rebuilding it from the log');
    running = running.then((service) => stopInTime(service)).then(begin);
    running.catch((error: unknown) => isStopping || die(error instanceof Error ? error.message : String(error)));
  };
  let running = begin();
  const starting = running;
  onStopSignal(() => {
    isStopping = true;
    stopSoon(running).then(
      // With the code that a failure has left, if any.
      () => process.exit(),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  });
  const service = await starting.catch((error: unknown) => {
    if (isStopping) return undefined;
    throw startRefusal(error, config);
  });
  if (isStopping || service === undefined) return;
  boundGarbage();

  process.stdout.write(
    [
      `svc listens on ${service.url} (${config.eventStore.kind} event store, ${config.readStore.kind} read store)`,
      `  API description: ${service.url}/docs`,
      `  try: curl -s ${service.url}/v1/wallet-devices -H 'content-type: application/json' -d '{"name":"My phone"}'`,
      '',
    ].join('\n'),
  );
}

main().catch((error: unknown) => die(error instanceof Error ? error.message : String(error)));
