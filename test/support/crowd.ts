import { connect, type Socket } from 'node:net';

type Manner = Readonly<{
  /** What each member sends once connected; if there are several, members take them in turn. */
  sends?: string | readonly string[];
  /** What each member sends every second, so that its connection is never quite idle. */
  drips?: string;
  /** False: received data stays in the kernel's buffers. */
  reads?: boolean;
}>;

export type Crowd = Readonly<{
  /** How many connections the service has not closed. */
  open(): number;
  /** How many got a response that begins like this. */
  answeredWith(prefix: string): number;
  /** How many were cut off, in the middle of a response or without one. */
  cutOff(): number;
  until(condition: () => boolean): Promise<void>;
  leave(): void;
}>;

const CONNECTED_AT_ONCE = 200;
const MAX_RECEIVED = 2_000;
const LAST_CHUNK = '0\r\n\r\n';

/** How many wallet connections a waiting crowd is spread over: beyond 512 waiters on one, the oldest is ended. */
export const CROWDED_CONNECTIONS = 8;

/** A request for a connection's events, as it goes over the wire. */
export const askingForEvents = (headers: Readonly<Record<string, string>>, query: string, accept: string): string =>
  `GET /v1/payment-requests/events?${query} HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\n` +
  `Authorization: ${headers['authorization']}\r\n\r\n`;

/** Many raw connections that behave alike, and badly: they never close their side. Resolves when all are connected. */
export async function gather(url: string, size: number, manner: Manner = {}): Promise<Crowd> {
  const { port } = new URL(url);
  const members: Member[] = [];
  const watchers = new Set<() => void>();
  const look = (): void => watchers.forEach((watch) => watch());
  while (members.length < size) {
    const batch = Array.from({ length: Math.min(CONNECTED_AT_ONCE, size - members.length) }, () => new Member(look));
    members.push(...batch);
    await Promise.all(
      batch.map((member, at) => {
        const texts = [manner.sends].flat();
        const sends = texts[(members.length - batch.length + at) % texts.length];
        return member.arrive(Number(port), sends, manner.reads);
      }),
    );
  }
  const { drips } = manner;
  const dripping =
    drips === undefined ? undefined : setInterval(() => members.forEach((one) => one.send(drips)), 1_000);
  return {
    open: () => members.filter(({ over }) => !over).length,
    answeredWith: (prefix) => members.filter(({ received }) => received.startsWith(prefix)).length,
    cutOff: () => members.filter(({ isCutOff }) => isCutOff).length,
    until: (condition) =>
      new Promise((resolve) => {
        const watch = (): void => {
          if (!condition()) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
        watch();
      }),
    leave: () => {
      clearInterval(dripping);
      for (const member of members) member.leave();
    },
  };
}

class Member {
  received = '';
  over = false;
  private wasReset = false;
  private last = '';
  private socket: Socket | undefined;

  constructor(private readonly changed: () => void) {}

  arrive(port: number, sends: string | undefined, reads = true): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      this.socket = socket;
      const ended = (): void => {
        this.over = true;
        this.changed();
        resolve();
      };
      // A refused connection counts as arrived too: `over` shows how it ended.
      socket.on('error', () => (this.wasReset = true));
      socket.on('error', ended).on('end', ended).on('close', ended);
      socket.on('connect', () => {
        if (sends !== undefined) socket.write(sends);
        resolve();
      });
      if (!reads) return;
      socket.on('data', (chunk: Buffer) => {
        const text = chunk.toString('latin1');
        if (this.received.length < MAX_RECEIVED) this.received += text.slice(0, MAX_RECEIVED);
        this.last = (this.last + text).slice(-LAST_CHUNK.length);
        this.changed();
      });
    });
  }

  /** Chunked responses mark their end; the others here are short and arrive in one piece. */
  get isCutOff(): boolean {
    const isWhole = !/^transfer-encoding: chunked\r$/im.test(this.received) || this.last === LAST_CHUNK;
    return this.over && (this.wasReset || this.received === '' || !isWhole);
  }

  send(text: string): void {
    if (!this.over) this.socket?.write(text);
  }

  leave(): void {
    this.socket?.destroy();
  }
}
