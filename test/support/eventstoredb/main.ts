import { startEventStoreDb } from './server';

/** The test server in its own process: node run-ts.mjs main.ts [port]. Prints its URL when it listens. */
async function main(): Promise<void> {
  const server = await startEventStoreDb(Number(process.argv[2] ?? 0));
  process.stdout.write(`${server.url}\n`);
  process.once('SIGTERM', () => {
    void server.stop().then(() => process.exit(0));
  });
}

void main();
