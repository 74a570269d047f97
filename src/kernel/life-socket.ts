import { connect, createServer, type Server } from 'node:net';
import { relative } from 'node:path';

/** The longest socket address that works on every system. */
const MAX_ADDRESS_BYTES = 103;

/**
 * Shows other processes that this one is alive. The kernel closes the socket when the process ends, however that
 * happens: so a socket that refuses connections belongs to a dead process, even where process ids tell nothing, as
 * between containers. A process that is merely paused is alive. Rejects where no socket can be created.
 */
export async function openLifeSocket(path: string): Promise<Server> {
  const address = addressOf(path);
  // A longer one would be truncated silently, and might then be another process's.
  if (isTooLong(address)) throw new Error(`the path of a socket is too long: ${path}`);
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(address, () => resolve(server.unref()));
  });
}

/** 'unknown' if there is no such socket, or it cannot be asked. */
export async function lifeOf(path: string): Promise<'alive' | 'dead' | 'unknown'> {
  const address = addressOf(path);
  if (isTooLong(address)) return 'unknown';
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.on('connect', () => {
      socket.destroy();
      resolve('alive');
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED' ? 'dead' : 'unknown'));
  });
}

function addressOf(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.length < path.length ? fromHere : path;
}

const isTooLong = (address: string): boolean => Buffer.byteLength(address) > MAX_ADDRESS_BYTES;
