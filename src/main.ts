import 'reflect-metadata';
import { type Config, ConfigError, readConfig } from './config';
import { createLogger } from './http/logger';
import { systemClock } from './kernel/clock';
import { networkNames } from './networks';
import { startService } from './service';
import { startRefusal } from './start-refusal';

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

async function main(): Promise<void> {
  const config = configOrDie();
  const logger = createLogger(config.logLevel);
  const service = await startService({ config, clock: systemClock, logger }).catch((error: unknown) => {
    throw startRefusal(error, config);
  });

  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

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
