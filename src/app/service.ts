import { type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule, type Surroundings } from './app.module';
import { TransparencyLog } from '../audit/log/transparency-log';
import { BackgroundWork } from './background-work';
import { prepareDataDirectory } from './data-directory';
import { DueSweepers } from '../platform/reacting/due-sweepers';
import { EVENT_STORE, type EventStore } from '../platform/event-store/event-store.port';
import { KnownServiceSecret } from '../audit/log/known-service-secret';
import { Reactors } from '../platform/reacting/reactors';
import { WarmUps } from '../platform/reacting/warm-ups';
import { AfterAnswer } from '../http/server/after-answer';
import { directly, takePathsAsWritten } from '../http/server/direct-routes';
import { Draining } from '../http/server/draining';
import { ErrorFilter } from '../http/server/error.filter';
import { MOST_UNSENT } from '../http/server/connections';
import { HttpServer } from '../http/server/http-server';
import { NestLogger } from '../platform/logging/logger';
import { Metrics } from '../http/operations/metrics';
import { describeApi } from '../api/openapi/openapi';
import { parseQuery } from '../http/input/query';
import { RouteTable } from '../http/server/route-table';
import { createShell } from '../http/server/shell';
import { webhooks } from './openapi-webhooks';
import { NewsBell } from '../http/feeds/news-bell';
import { pause } from '../kernel/pause';
import { KEY_SHELF, type KeyShelf } from '../platform/read-model/key-shelf.port';
import { Leadership } from '../platform/reacting/leadership';
import { Projector } from '../platform/projecting/projector';
import { READ_MODEL_STORE, type ReadModelStore } from '../platform/read-model/read-model.port';
import { SettlementWatcher } from '../capabilities/settlement/settlement-watcher';
import { servePages } from '../web/pages';
import { WebhookDispatcher } from '../capabilities/webhooks/webhook-dispatcher';

/** So long a store may take to answer before the start goes on without it. */
const ASK_THE_LOG_MS = 2_000;

export type Service = Readonly<{ app: INestApplication; url: string; stop(): Promise<void> }>;

/** Puts the parts together and listens; stop() undoes it in the opposite order. */
export async function startService(surroundings: Surroundings): Promise<Service> {
  const { config, logger } = surroundings;
  prepareDataDirectory(config);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(surroundings), new ExpressAdapter(), {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(logger),
  });
  const draining = app.get(Draining);
  let hasStarted = (): void => undefined;
  let starting: Promise<void> | undefined = new Promise((resolve) => (hasStarted = resolve));
  app.set('etag', false);
  app.set('query parser', parseQuery);
  app.disable('x-powered-by');
  const express = app.getHttpAdapter().getInstance();
  takePathsAsWritten(express);
  const shell = createShell({
    app: express,
    errors: app.get(ErrorFilter),
    logger,
    metrics: app.get(Metrics),
    routes: app.get(RouteTable),
    https: config.baseUrl.startsWith('https:'),
    draining: () => draining.begun,
    starting: () => starting,
    unsent: {
      isTooMuch: () => server.connections.areFull,
      wouldBeTooMuch: (bytes) => server.connections.unsentNow() + bytes > MOST_UNSENT,
    },
  });
  app.use(shell);
  const pages = config.web ? servePages(config) : undefined;
  if (pages !== undefined) app.use(pages);
  else if (config.web) logger.warn('no pages to serve: `npm run build` makes them');
  describeApi(app, config.baseUrl, webhooks);
  await app.init();

  const close = async (): Promise<void> => {
    await app.close();
    await app.get<KeyShelf>(KEY_SHELF).close();
    await app.get<ReadModelStore>(READ_MODEL_STORE).close();
    await app.get<EventStore>(EVENT_STORE).close();
  };
  const server = new HttpServer(directly(express, shell));
  // Before the stores are asked for anything, which takes its time where one is away: monitoring wants an answer meanwhile.
  const address = await server.listen(config.host, config.port);

  // Where the store is away the start goes on, and nothing is begun in the background before the log has been asked.
  let isTheLogsSecret = false;
  const asked = app
    .get(KnownServiceSecret)
    .assertIsTheLogs()
    .then(() => (isTheLogsSecret = true));
  try {
    await Promise.race([asked, pause(ASK_THE_LOG_MS)]);
  } catch (error) {
    await server.stopListening();
    await close();
    throw error;
  }
  asked.catch((error: unknown) => {
    logger.fatal({ err: error }, 'this service must not go on with this log');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  const leadership = app.get(Leadership);
  await leadership.start();
  const projector = app.get(Projector);
  await projector.start();
  hasStarted();
  starting = undefined;
  const reactors = app.get(Reactors);
  const background = new BackgroundWork(
    () => isTheLogsSecret && leadership.leads(),
    app.get(WebhookDispatcher),
    // The watcher before the reactors, which hand it what is new.
    [app.get(SettlementWatcher), reactors, app.get(DueSweepers), app.get(TransparencyLog)],
    logger,
  );
  await background.start();
  const warmUps = app.get(WarmUps);
  warmUps.start();
  const metrics = app.get(Metrics);
  metrics.gauge('svc_leader', '1 where the background work is done, 0 elsewhere.', () => Number(leadership.leads()));
  metrics.gauge('svc_projection_lag_seconds', 'Age of the oldest event not yet readable.', () =>
    projector.lagSeconds(),
  );
  metrics.gauge('svc_reactor_lag_seconds', 'Age of the oldest event that some reactor has not followed up.', () =>
    reactors.lagSeconds(),
  );
  metrics.gauge('svc_reactions_set_aside', 'Events that wait because a reactor kept failing at them.', () =>
    reactors.setAside(),
  );
  const tryAgain = (): void => void reactors.tryAgain();
  process.on('SIGUSR2', tryAgain);
  metrics.gauge('svc_transparency_lag_seconds', 'Age of the oldest event that is not in the tree over the log.', () =>
    app.get(TransparencyLog).lagSeconds(),
  );

  metrics.gauge('svc_event_waiters', 'Callers whose answer is held back for news.', () => app.get(NewsBell).waiters);
  metrics.gauge('svc_http_connections', 'Connections that callers have open.', () => server.connections.size);
  metrics.gauge('svc_http_unsent_bytes', 'Bytes of answers that callers have not taken yet.', () =>
    server.connections.unsentNow(),
  );
  metrics.gauge(
    'svc_http_connections_closed_for_room',
    'Connections closed since the start to make room.',
    () => server.connections.closedForRoom,
  );

  return {
    app,
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    stop: async () => {
      await server.stopListening();
      draining.begin();
      await Promise.all([server.drain(), background.retire()]);
      await app.get(AfterAnswer).settle();
      process.off('SIGUSR2', tryAgain);
      warmUps.stop();
      await background.stop();
      await projector.stop();
      await leadership.stop();
      await close();
    },
  };
}
