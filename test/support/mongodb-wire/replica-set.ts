import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { answerTo, type Command, commandIn, Frames, greeting, isGreeting } from './frames';

export type ReplicaSet = Readonly<{ url: string; stop(): Promise<void> }>;

/**
 * Makes a standalone server look like the primary of a replica set with credentials: a front for it and one for a
 * secondary that serves no queries. Nothing is replicated; it shows that such connection strings work everywhere.
 */
export async function startReplicaSetFront(mongoUrl: string): Promise<ReplicaSet> {
  const [, host = '127.0.0.1', port = '27017'] = /^mongodb:\/\/(?:[^@/]*@)?([^:/?,]+)(?::(\d+))?/.exec(mongoUrl) ?? [];
  const sockets = new Set<Socket>();
  const members: string[] = [];
  const [primary, secondary] = [serve(true), serve(false)];
  for (const server of [primary, secondary]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    members.push(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  function serve(isPrimary: boolean) {
    return createServer((client) => {
      const target = connect(Number(port), host);
      const frames = new Frames();
      for (const socket of [client, target]) {
        sockets.add(socket);
        socket.setNoDelay(true);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          sockets.delete(socket);
          client.destroy();
          target.destroy();
        });
      }
      target.pipe(client);
      client.on('data', (bytes) => {
        for (const frame of frames.take(bytes)) {
          const command = commandIn(frame);
          const answer = ownAnswer(command, isPrimary);
          if (answer) client.write(answerTo(command, answer));
          else target.write(frame);
        }
      });
    });
  }

  function ownAnswer(command: Command, isPrimary: boolean): object | undefined {
    if (command.name === 'saslStart') return { conversationId: 1, done: true, payload: '', ok: 1 };
    if (isGreeting(command)) {
      const me = members[isPrimary ? 0 : 1];
      const role = { ismaster: isPrimary, isWritablePrimary: isPrimary, secondary: !isPrimary };
      return greeting({ ...role, setName: 'rs0', setVersion: 1, hosts: members, primary: members[0], me });
    }
    return isPrimary ? undefined : { ok: 0, code: 13435, errmsg: 'not primary and secondaryOk=false' };
  }

  return {
    // The secondary first: a driver that took the first for the primary would fail.
    url: `mongodb://svc:p%40ss%2Fword@${[...members].reverse().join(',')}/?replicaSet=rs0&authMechanism=PLAIN`,
    stop: async () => {
      sockets.forEach((socket) => socket.destroy());
      for (const server of [primary, secondary]) await new Promise((resolve) => server.close(resolve));
    },
  };
}
