import { parentPort } from 'node:worker_threads';
import { type Logger } from 'pino';
import { projections } from '../../../projections';
import { Metrics } from '../../http/operations/metrics';
import { type Clock, systemClock } from '../../kernel/clock';
import { networkNames } from '../../networks';
import { openEventStore } from '../../platform/event-store/open-event-store';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { createLogger } from '../../platform/logging/logger';
import { Projector } from '../../platform/projecting/projector';
import { threadNotifier } from '../../platform/projecting/thread-notifier';
import { openReadModel } from '../../platform/read-model/read-model.module';
import { type ReadModelStore } from '../../platform/read-model/read-model.port';
import { serviceSecretIn } from '../../platform/secrets/secret-file';
import { learnFrom, readSecretHistory } from '../../platform/secrets/secret-history';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { type Thread, ThreadLink } from '../../platform/threads/thread-link';
import { type Config, readConfig } from '../../platform/config';

/** The parts of a thread, wired by hand: the whole application would take 70 MB and a second. */
export type ThreadParts = Readonly<{
  config: Config;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  thread: Thread;
  secret: ServiceSecret;
  store: EventStore;
  model: ReadModelStore;
  projector: Projector;
}>;

export type ThreadWork = Readonly<{ begin(): void | Promise<void>; retire(): Promise<void> }>;

/** Does what the serving thread asks; see service-thread.ts. */
export function runThread(workWith: (parts: ThreadParts) => ThreadWork): void {
  if (parentPort === null) throw new Error('this runs as a thread of the service only');
  const port = parentPort;
  const link = new ThreadLink(port);
  const config = readConfig(process.env, networkNames);
  // Lines of several writers to one output would interleave.
  const logger = createLogger(config.logLevel, { write: (line) => link.notify('log', line) });
  const thread = { side: 'sends', link } as const;
  const metrics = new Metrics(thread);
  let parts: ThreadParts | undefined;
  let work: ThreadWork | undefined;
  let starting: Promise<void> | undefined;
  let hasRetired = false;

  const start = async (): Promise<void> => {
    const store = await openEventStore(config, thread);
    const model = await openReadModel(config, logger, thread);
    const projector = new Projector(
      store,
      model,
      projections,
      systemClock,
      logger,
      () => false,
      threadNotifier(thread),
    );
    const secret = ServiceSecret.pendingHistory(config.serviceSecret ?? serviceSecretIn(config.dataDir));
    learnFrom(await readSecretHistory(store), secret);
    parts = { config, clock: systemClock, logger, metrics, thread, secret, store, model, projector };
    work = workWith(parts);
    await projector.start();
  };
  const retire = async (): Promise<void> => {
    hasRetired = true;
    await starting?.catch(() => undefined);
    await work?.retire();
  };
  link.answer('start', () => (starting = start()));
  link.onNotified('begin', () => void (hasRetired || work?.begin()));
  link.answer('retire', retire);
  link.answer('stop', async () => {
    await retire();
    await parts?.projector.stop();
    await parts?.model.close();
    await parts?.store.close();
    // After the reply, which is still to be sent.
    setImmediate(() => port.close());
  });
}
