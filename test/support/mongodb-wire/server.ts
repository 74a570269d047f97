import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';
import { answerTo, type Command, commandIn, Frames, greeting, isGreeting } from './frames';

export type Script = (command: Command) => object | undefined;

export type WireServer = Readonly<{
  url: string;
  /** All commands except handshakes, in order of arrival. */
  commands: readonly Command[];
  stop(): Promise<void>;
}>;

/**
 * Speaks MongoDB's protocol and answers as scripted: error codes, failover responses, or nothing at all. For failures
 * that no real server can be made to produce on demand.
 */
export async function startMongoWire(script: Script): Promise<WireServer> {
  const commands: Command[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const frames = new Frames();
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      for (const frame of frames.take(bytes)) {
        const command = commandIn(frame);
        if (isGreeting(command)) {
          socket.write(answerTo(command, greeting()));
          continue;
        }
        commands.push(command);
        const answer = script(command);
        if (answer !== undefined) socket.write(answerTo(command, { ok: 1, ...answer }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/svc`,
    commands,
    stop: async () => {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The response of a cursor that holds everything in its first batch. */
export const found = (collection: string, documents: readonly object[]): object => ({
  cursor: { id: BSON.Long.ZERO, ns: `svc.${collection}`, firstBatch: documents },
});

export const failed = (code: number, errmsg = 'scripted'): object => ({ ok: 0, code, errmsg });
