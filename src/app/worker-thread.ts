import 'reflect-metadata';
import { parentPort } from 'node:worker_threads';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { systemClock } from '../kernel/clock';
import { networkNames } from '../networks';
import { createLogger, NestLogger } from '../platform/logging/logger';
import { ThreadLink } from '../platform/threads/thread-link';
import { AppModule } from './app.module';
import { Background } from './background';
import { closeWithStores } from './close-stores';
import { readConfig } from './config';

// A program for a worker thread: the background work of the process that started it, see background-thread.ts.
if (parentPort === null) throw new Error('this runs as a thread of the service only');
const port = parentPort;
const link = new ThreadLink(port);
const config = readConfig(process.env, networkNames);
// Two writers of one output would cut each other's lines.
const logger = createLogger(config.logLevel, { write: (line) => link.tell('log', line) });

let isTheLogsSecret = false;
let opened: Readonly<{ app: INestApplicationContext; background: Background }> | undefined;

link.answer('open', async () => {
  const surroundings = { config, clock: systemClock, logger, thread: { side: 'back', link } } as const;
  const options = { abortOnError: false, logger: new NestLogger(logger) };
  const app = await NestFactory.createApplicationContext(AppModule.with(surroundings), options);
  opened = { app, background: new Background(app, { works: true, mayBegin: () => isTheLogsSecret }) };
});
link.answer('follow', async () => {
  await opened?.background.follow();
  await opened?.background.begin();
});
link.onTold('begin', () => (isTheLogsSecret = true));
link.onTold('try-again', () => void opened?.background.tryAgain());
link.answer('retire', () => opened?.background.retire());
link.answer('stop', async () => {
  await opened?.background.stop();
  if (opened !== undefined) await closeWithStores(opened.app);
  // After the answer, which is still to be sent.
  setImmediate(() => port.close());
});
