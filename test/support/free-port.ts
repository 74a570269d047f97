import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, Server } from 'node:net';

/**
 * Below the ephemeral ports: one of those that is free now may be a client's connection a second later, and load tests
 * hold thousands.
 */
const FIRST = 20_000;
const LAST = 32_000;
/** One for each of jest's workers, and the first for everything else. */
const SHARES = 8;
const SHARE = (LAST - FIRST) / SHARES;

const ours = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % SHARES) * SHARE;

/**
 * Kept where it outlives a test file: the gRPC client remembers for some time, for the whole worker, that nobody
 * answered at an address, so that a port is not to be given out again soon.
 */
const GIVEN = Symbol.for('svc.test.ports-given');
const kept = Server as unknown as { [GIVEN]?: number };
function next(): number {
  const given = (kept[GIVEN] ?? Math.floor(Math.random() * SHARE)) + 1;
  kept[GIVEN] = given;
  return ours + (given % SHARE);
}

/**
 * A port that is free for TCP and UDP, for a program that is given its port. The program listens seconds later, and may
 * stop listening for a while: until then nobody else is given the port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next();
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const tcp = createServer();
  const udp = createSocket('udp4');
  try {
    await Promise.all([
      once(tcp.listen(port, '127.0.0.1'), 'listening'),
      once(udp.bind(port, '127.0.0.1'), 'listening'),
    ]);
    return true;
  } catch {
    return false;
  } finally {
    await Promise.all([closed(tcp), closed(udp)]);
  }
}

/** Closing a socket that never listened may throw or report an error; both count as closed. */
async function closed(one: Readonly<{ close(done: () => void): unknown }>): Promise<void> {
  await new Promise<void>((resolve) => {
    try {
      one.close(resolve);
    } catch {
      resolve();
    }
  });
}
