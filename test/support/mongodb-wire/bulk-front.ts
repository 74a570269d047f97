import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BSON, MongoClient } from 'mongodb';
import { answerTo, type Command, commandIn, Frames, isGreeting } from './frames';

export type BulkFront = Readonly<{
  url: string;
  /** How many bulk-write commands arrived. */
  bulks(): number;
  stop(): Promise<void>;
}>;

type Insert = Readonly<{ insert: number; document: object }>;
type Update = Readonly<{ update: number; filter: object; updateMods: object; upsert: boolean }>;

const WIRE_VERSION_OF_8 = 25;
const OP_REPLY = 1;

/**
 * Makes a server without bulk writes over several collections look like one that has them: splits the command into its
 * operations and runs them one after another up to the first that fails. Everything else passes through unchanged.
 */
export async function startBulkFront(mongoUrl: string): Promise<BulkFront> {
  const { hostname, port } = new URL(mongoUrl);
  const behind = await MongoClient.connect(mongoUrl);
  const sockets = new Set<Socket>();
  let bulks = 0;
  const server = createServer((socket) => {
    const server = connect(Number(port), hostname);
    const [asked, answered] = [new Frames(), new Frames()];
    const greetings = new Map<number, Command>();
    for (const one of [socket, server]) {
      sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one);
          socket.destroy();
          server.destroy();
        });
    }
    socket.on('data', (bytes) => {
      for (const frame of asked.take(bytes)) {
        const command = commandIn(frame);
        if (isGreeting(command)) greetings.set(command.id, command);
        if (command.name !== 'bulkWrite') server.write(frame);
        else {
          bulks += 1;
          void carryOut(behind, exactly(frame)).then((answer) => socket.write(answerTo(command, answer)));
        }
      }
    });
    server.on('data', (bytes) => {
      for (const frame of answered.take(bytes)) {
        const greeting = greetings.get(frame.readInt32LE(8));
        greetings.delete(frame.readInt32LE(8));
        socket.write(greeting === undefined ? frame : answerTo(greeting, newer(frame)));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`,
    bulks: () => bulks,
    stop: async () => {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
      await behind.close();
    },
  };
}

/** Without converting 64-bit integers to numbers. */
const exactly = (frame: Buffer): Command => commandIn(frame, { promoteValues: false });

const newer = (frame: Buffer): object => {
  const body = frame.readInt32LE(12) === OP_REPLY ? 16 + 20 : 16 + 5;
  return { ...BSON.deserialize(frame.subarray(body)), maxWireVersion: WIRE_VERSION_OF_8 };
};

async function carryOut(client: MongoClient, { body }: Command): Promise<object> {
  const { ops, nsInfo } = body as { ops: readonly (Insert | Update)[]; nsInfo: readonly { ns: string }[] };
  let [done, error]: [number, object | undefined] = [0, undefined];
  for (const operation of ops) {
    const ns = nsInfo[Number('insert' in operation ? operation.insert : operation.update)]?.ns ?? '';
    const [database, collection] = [ns.slice(0, ns.indexOf('.')), ns.slice(ns.indexOf('.') + 1)];
    try {
      const target = client.db(database).collection(collection);
      if ('insert' in operation) await target.insertOne(operation.document);
      else await target.replaceOne(operation.filter, operation.updateMods, { upsert: Boolean(operation.upsert) });
      done += 1;
    } catch (failure) {
      const { code = 8, message } = failure as { code?: number; message: string };
      error = { ok: 0, idx: done, code, errmsg: message, n: 0 };
      break;
    }
  }
  const counts = { nErrors: error ? 1 : 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: done, nDeleted: 0 };
  const cursor = { id: BSON.Long.ZERO, ns: 'admin.$cmd.bulkWrite', firstBatch: error ? [error] : [] };
  return { ok: 1, cursor, ...counts };
}
