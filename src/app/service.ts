import { type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule, type StartOptions } from './app.module';
import { Background } from './background';
import { type ServiceThread } from './threads/service-thread';
import { somethingToSend } from './threads/something-to-send';
import { closeWithStores } from './close-stores';
import { prepareDataDirectory } from './data-directory';
import { KnownServiceSecret } from '../audit/log/known-service-secret';
import { WarmBudgets } from '../capabilities/agent-payments/warm-budgets';
import { AfterAnswer } from '../http/server/after-answer';
import { directly, knownRoutes, takePathsAsWritten } from '../http/server/direct-routes';
import { Draining } from '../http/server/draining';
import { ErrorFilter } from '../http/server/error.filter';
import { HttpServer } from '../http/server/http-server';
import { NestLogger, passOn } from '../platform/logging/logger';
import { ONLY_THREAD } from '../platform/threads/thread-link';
import { READ_MODEL_STORE, type ReadModelStore } from '../platform/read-model/read-model.port';
import { Projector } from '../platform/projecting/projector';
import { Metrics } from '../http/operations/metrics';
import { describeApi, docsPaths } from '../api/openapi/openapi';
import { parseQuery } from '../http/input/query';
import { parseQueryOnce } from '../http/server/query-once';
import { onlyRead, RouteTable } from '../http/server/route-table';
import { createMiddleware } from '../http/server/middleware';
import { webhooks } from './openapi-webhooks';
import { NewsBell } from '../http/feeds/news-bell';
import { endsWithin } from '../kernel/pause';
import { servePages } from '../web/pages';

/** How long a store may take to answer before startup goes on without it. */
const LOG_TIMEOUT_MS = 2_000;
/** The only paths that a process for background work serves. */
const OPERATOR_PATHS: readonly string[] = ['/health', '/health/ready', '/metrics'];

const SECRET_REPLACED = new Error('SERVICE_SECRET was replaced by another; start with the new one');

export type Service = Readonly<{ app: INestApplication; url: string; stop(): Promise<void> }>;

/**
 * Assembles the parts and listens; stop() undoes it in reverse order. Webhooks are sent by the given thread, otherwise
 * by this one.
 */
export async function startService(options: StartOptions, sends?: ServiceThread): Promise<Service> {
  const { config, logger } = options;
  prepareDataDirectory(config);
  const wired = AppModule.with({ ...options, thread: sends?.front ?? ONLY_THREAD });
  const app = await NestFactory.create<NestExpressApplication>(wired, new ExpressAdapter(), {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(logger),
  });
  const giveUp = (err: unknown, message: string): void => {
    logger.fatal({ err }, message);
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  };
  const readStore = app.get<ReadModelStore>(READ_MODEL_STORE);
  sends?.watch(
    (line) => passOn(logger, line),
    (reason) => {
      giveUp(reason, 'the thread that sends webhooks has ended unexpectedly');
    },
  );
  const draining = app.get(Draining);
  const projector = app.get(Projector);
  let hasStarted = (): void => undefined;
  let starting: Promise<void> | undefined = new Promise((resolve) => (hasStarted = resolve));
  app.set('etag', false);
  app.disable('x-powered-by');
  const express = app.getHttpAdapter().getInstance();
  parseQueryOnce(express, parseQuery);
  takePathsAsWritten(express);
  const middleware = createMiddleware({
    app: express,
    errors: app.get(ErrorFilter),
    logger,
    metrics: app.get(Metrics),
    routes: app.get(RouteTable),
    https: config.baseUrl.startsWith('https:'),
    ...(config.role === 'worker' ? { serves: (path: string) => OPERATOR_PATHS.includes(path) } : {}),
    draining: () => draining.begun,
    starting: () => starting,
    rebuilding: () => projector.rebuilding(),
    unsent: {
      isTooMuch: () => server.connections.unread.areTooMany,
      wouldBeTooMuch: (bytes) => !server.connections.unread.leaveRoomFor(bytes),
    },
  });
  app.use(middleware);
  const pages = config.web && config.role !== 'worker' ? servePages(config) : undefined;
  if (pages !== undefined) app.use(pages.handler);
  else if (config.web && config.role !== 'worker') logger.warn('no pages to serve: `npm run build` builds them');
  describeApi(app, config.baseUrl, webhooks);
  app.get(RouteTable).load(() => ({ ...onlyRead([...docsPaths(), ...(pages?.paths ?? [])]), ...knownRoutes(express) }));
  await app.init();

  const close = async (): Promise<void> => {
    await sends?.stop();
    await closeWithStores(app);
  };
  const server = new HttpServer(directly(express, middleware), options.serverLimits);
  // Before the stores are used, which takes time if one is down: monitoring needs a response meanwhile.
  const warn = (error: Error): void => logger.warn({ err: error }, 'a connection could not be accepted');
  const address = await server.listen(config.host, config.port, warn).catch(async (error: unknown) => {
    await close();
    throw error;
  });

  // If the store is down, startup goes on, but no background work begins before the log's secret has been checked.
  let isTheLogsSecret = false;
  const known = app.get(KnownServiceSecret);
  const asked = known.assertIsTheLogs().then(() => (isTheLogsSecret = true));
  // Other instances may already use the new secret: this one could not open what they write.
  projector.onApplied((events) => {
    if (isTheLogsSecret && known.isReplacedIn(events))
      giveUp(SECRET_REPLACED, 'this service must not continue this log');
  });
  try {
    await endsWithin(LOG_TIMEOUT_MS, asked);
  } catch (error) {
    await server.stopListening();
    await close();
    throw error;
  }
  asked.catch((error: unknown) => giveUp(error, 'this service must not continue this log'));
  const background = new Background(app, { works: config.role !== 'api', mayBegin: () => isTheLogsSecret });
  await background.follow();
  hasStarted();
  starting = undefined;
  await background.begin();
  // The stores are open and intact by now, so the thread can open them too; nothing waits for it.
  if (sends !== undefined) void somethingToSend(projector, readStore).then(() => sends.start(asked));
  const budgets = app.get(WarmBudgets);
  if (config.role !== 'worker') budgets.start();
  const retrySetAside = (): void => void background.retrySetAside();
  process.on('SIGUSR2', retrySetAside);

  const metrics = app.get(Metrics);
  metrics.gauge('svc_event_waiters', 'Callers that are waiting for events.', () => app.get(NewsBell).waiters);
  metrics.gauge('svc_http_connections', 'Open connections from callers.', () => server.connections.size);
  metrics.gauge('svc_http_unsent_bytes', 'Bytes of answers that callers have not read yet.', () =>
    server.connections.unread.bytes(),
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
      await Promise.all([server.drain(), background.retire(), sends?.retire()]);
      await app.get(AfterAnswer).settle();
      process.off('SIGUSR2', retrySetAside);
      budgets.stop();
      await background.stop();
      await close();
    },
  };
}
