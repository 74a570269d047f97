import { randomUUID } from 'node:crypto';
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb';
import { ClusterInfo, EndPoint, MemberInfo } from '@eventstore/db-client/generated/gossip_pb';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import { type Empty, UUID } from '@eventstore/db-client/generated/shared_pb';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { startTcpProxy } from '../tcp-proxy';
import { append, batchAppend } from './append-service';
import { Log } from './log';
import { alone, type EngineKind, type NodeRole, type RoleName } from './node-role';
import { read } from './read-service';
import { Subscribers } from './subscribers';

export type TestEventStoreDb = Readonly<{
  url: string;
  port: number;
  /** How many subscriptions were ended because their consumer was too slow. */
  droppedConsumers(): number;
  openSubscriptions(): number;
  /** How many requests of each kind it has received since it started. */
  asked(): Readonly<Asked>;
  /** How long it takes to commit, as on a slow disk. */
  setCommitTime(ms: number): void;
  /** How far its clock is ahead of the clients'. */
  setClockAhead(ms: number): void;
  /** As if the process dies: connections break and new ones are refused. What was written stays. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  restart(): Promise<void>;
  /** As under SIGSTOP: the kernel still accepts connections and bytes, but nothing answers. */
  freeze(): void;
  thaw(): void;
  dropConnections(): Promise<void>;
  /** As before a planned stop: asks clients to leave, takes nothing more on old connections, and soon ends them. */
  sendAway(): void;
  stop(): Promise<void>;
}>;

export type Asked = { streamReads: number; allReads: number; appends: number };

const GRACE_MS = 50;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** A server that behaves like EventStoreDB 23.10 or KurrentDB 26.1, for tests that cannot use the real one. */
export function startEventStoreDb(port = 0, kind: EngineKind = 'eventstoredb'): Promise<TestEventStoreDb> {
  return startNode(new Log(), (own) => alone(kind, own), port);
}

/** One node on a log that others may share; `roleAt` defines its role among them. */
export async function startNode(
  log: Log,
  roleAt: (port: () => number) => NodeRole,
  port = 0,
): Promise<TestEventStoreDb> {
  const role = roleAt(() => door.port);
  const subscribers = new Subscribers(log, role);
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  });
  const innerPort = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  // Faults are injected into the connection, where the client cannot tell them from real ones.
  const door = await startTcpProxy(innerPort, '127.0.0.1', port);

  let aheadMs = 0;
  let commitMs = 0;
  const asked: Asked = { streamReads: 0, allReads: 0, appends: 0 };
  server.addService(StreamsService, {
    append: append(log),
    batchAppend: batchAppend(
      log,
      role,
      () => (asked.appends += 1),
      () => Date.now() + aheadMs,
      () => commitMs,
    ),
    read: read(log, subscribers, role, (what) => (asked[what] += 1)),
  });
  server.addService(ServerFeaturesService, { getSupportedMethods });
  server.addService(GossipService, { read: gossip(role) });

  const goDown = async (): Promise<void> => {
    await door.refuse();
    door.cut();
  };
  return {
    url: `esdb://127.0.0.1:${door.port}?tls=false`,
    port: door.port,
    droppedConsumers: () => subscribers.dropped,
    openSubscriptions: () => subscribers.open,
    asked: () => ({ ...asked }),
    setCommitTime: (ms) => void (commitMs = ms),
    setClockAhead: (ms) => void (aheadMs = ms),
    goDown,
    comeUp: () => door.accept(),
    restart: async () => {
      await goDown();
      await door.accept();
    },
    freeze: () => door.pause(),
    thaw: () => door.resume(),
    dropConnections: async () => door.cut(),
    sendAway: () => server.drain(`127.0.0.1:${innerPort}`, GRACE_MS),
    stop: async () => {
      await door.stop();
      server.forceShutdown();
    },
  };
}

const getSupportedMethods: handleUnaryCall<Empty, SupportedMethods> = (_call, callback) => {
  const methods = ['append', 'batchappend', 'read'].map((name) =>
    new SupportedMethod().setServiceName('event_store.client.streams.streams').setMethodName(name),
  );
  callback(null, new SupportedMethods().setEventStoreServerVersion('23.10.0.0').setMethodsList(methods));
};

const STATES: Readonly<Record<RoleName, MemberInfo.VNodeState>> = {
  leader: MemberInfo.VNodeState.LEADER,
  follower: MemberInfo.VNodeState.FOLLOWER,
  'not-ready': MemberInfo.VNodeState.UNKNOWN,
};

const gossip = (role: NodeRole): handleUnaryCall<Empty, ClusterInfo> => {
  const id = randomUUID();
  return (_call, callback) => {
    const members = role
      .members()
      .map(({ endpoint, role: name, isAlive }) =>
        new MemberInfo()
          .setInstanceId(new UUID().setString(id))
          .setTimeStamp('0')
          .setState(STATES[name])
          .setIsAlive(isAlive)
          .setHttpEndPoint(new EndPoint().setAddress(endpoint.host).setPort(endpoint.port)),
      );
    callback(null, new ClusterInfo().setMembersList(members));
  };
};
