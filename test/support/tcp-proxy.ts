import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { freePort } from './free-port';

export type TcpProxy = Readonly<{
  port: number;
  /** Drops every connection; new ones are still accepted. */
  cut(): void;
  /** Refuses new connections until `accept`. Open ones stay. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** Connections stay open but no byte moves, as with a frozen peer; or only the target's responses are held back. */
  pause(what?: 'everything' | 'answers'): void;
  resume(): void;
  stop(): Promise<void>;
}>;

type Pair = Readonly<{ client: Socket; target: Socket }>;

/** Sits between a client and a server on loopback, so that a test can break their connection. */
export async function startTcpProxy(targetPort: number, targetHost = '127.0.0.1', ownPort = 0): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  const moving = { questions: true, answers: true };

  const flow = (from: Socket, to: Socket, on: boolean): void => {
    // Piping twice would send every byte twice.
    from.unpipe(to);
    if (on) from.pipe(to);
    else from.pause();
  };
  const apply = ({ client, target }: Pair): void => {
    flow(client, target, moving.questions);
    flow(target, client, moving.answers);
  };
  const drop = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.target.destroy();
  };

  const server = createServer((client) => {
    const pair = { client, target: connect(targetPort, targetHost) };
    pairs.add(pair);
    for (const socket of [pair.client, pair.target]) {
      socket.setNoDelay(true);
      socket.on('error', () => drop(pair));
      socket.on('close', () => drop(pair));
    }
    apply(pair);
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.removeListener('error', reject);
        resolve();
      });
    });
  // Not a port that the system hands out: while this refuses, another listener would be given it.
  await listen(ownPort === 0 ? await freePort() : ownPort);
  const { port } = server.address() as AddressInfo;

  const set = (questions: boolean, answers: boolean): void => {
    if (moving.questions === questions && moving.answers === answers) return;
    Object.assign(moving, { questions, answers });
    for (const pair of pairs) apply(pair);
  };
  const cut = (): void => [...pairs].forEach(drop);
  // The listening socket closes at once; the callback would wait for connections that should stay.
  const refuse = async (): Promise<void> => void (server.listening && server.close());

  return {
    port,
    cut,
    refuse,
    accept: async () => {
      if (!server.listening) await listen(port);
    },
    pause: (what = 'everything') => set(what === 'answers', false),
    resume: () => set(true, true),
    stop: async () => {
      await refuse();
      cut();
    },
  };
}
