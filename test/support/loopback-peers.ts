import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

const pem = (file: string): string => readFileSync(join(__dirname, 'tls', file), 'utf8');

/** The authority that signed the `server` certificate; only tests trust it. */
export const testAuthority = pem('ca.crt');

export type LoopbackPeer = Readonly<{
  port: number;
  /** How many connections have been accepted in total. */
  accepted(): number;
  /** How many are open now. */
  open(): number;
  /** Resolves when no connection is open; a leaked one keeps it waiting until the test fails. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}>;

export type Certificate = 'server' | 'expired' | 'self-signed';

/** An HTTPS server for shop.example.test, *.example.test, localhost and loopback addresses. */
export const startHttpsPeer = (handler: RequestListener, certificate: Certificate = 'server'): Promise<LoopbackPeer> =>
  start(createHttpsServer({ key: pem('server.key'), cert: pem(`${certificate}.crt`) }, handler));

export const startHttpPeer = (handler: RequestListener): Promise<LoopbackPeer> => start(createHttpServer(handler));

/** A peer without a protocol: each connection is passed on as is. */
export const startRawPeer = (onConnection: (socket: Socket) => void): Promise<LoopbackPeer> =>
  start(createTcpServer(onConnection));

async function start(server: Server): Promise<LoopbackPeer> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      server.emit('peer-closed');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => accepted,
    open: () => sockets.size,
    async allClosed() {
      while (sockets.size > 0) await once(server, 'peer-closed');
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}
