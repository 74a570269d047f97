import { closeSync, openSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { basename, dirname, relative } from 'node:path';

/** The longest socket address that works on every system. */
const MAX_ADDRESS_BYTES = 103;

/**
 * Shows other processes that this one is alive. The kernel closes the socket when the process ends, however that
 * happens: so a socket that refuses connections belongs to a dead process, even where process ids tell nothing, as
 * between containers. A process that is merely paused is alive. Rejects where no socket can be created.
 */
export async function openLifeSocket(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    withAddressOf(path, (address) => server.listen(address, () => resolve(server.unref())));
  });
}

/** 'gone' if there is nothing at the path; 'unknown' if it cannot be asked. */
export async function lifeOf(path: string): Promise<'alive' | 'dead' | 'gone' | 'unknown'> {
  return new Promise((resolve) => {
    const socket = withAddressOf(path, connect);
    socket.on('connect', () => {
      socket.destroy();
      resolve('alive');
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' ? 'dead' : code === 'ENOENT' ? 'gone' : 'unknown'),
    );
  });
}

/**
 * The system's address for a socket has little room, and cuts a longer one silently: where the path does not fit, it
 * goes through the open directory (Linux). Node hands an address to the system at once.
 */
function withAddressOf<T>(path: string, use: (address: string) => T): T {
  const fromHere = relative(process.cwd(), path);
  const address = fromHere.length < path.length ? fromHere : path;
  if (Buffer.byteLength(address) <= MAX_ADDRESS_BYTES) return use(address);
  const directory = openSync(dirname(path), 'r');
  try {
    return use(`/proc/self/fd/${directory}/${basename(path)}`);
  } finally {
    closeSync(directory);
  }
}
