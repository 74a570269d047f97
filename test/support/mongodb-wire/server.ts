import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';
import { answerTo, type Command, commandIn, Frames, greeting, isGreeting } from './frames';

export type Script = (command: Command) => object | undefined;

export type WireServer = Readonly<{
  url: string;
  /** Everything but greetings, in the order of arrival. */
  commands: readonly Command[];
  stop(): Promise<void>;
}>;

/**
 * Speaks MongoDB's protocol and says what the script wants: error codes, answers of a failover, or nothing at all. For
 * what a server does on bad days, which none can be made to do on demand.
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

/** How a cursor with everything in it is answered. */
export const found = (collection: string, documents: readonly object[]): object => ({
  cursor: { id: BSON.Long.ZERO, ns: `svc.${collection}`, firstBatch: documents },
});

export const failed = (code: number, errmsg = 'scripted'): object => ({ ok: 0, code, errmsg });
