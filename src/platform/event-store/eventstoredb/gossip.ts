import { type Socket } from 'node:net';
import { type ChannelCredentials, Metadata } from '@grpc/grpc-js';
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb';
import { MemberInfo } from '@eventstore/db-client/generated/gossip_pb';
import { Empty } from '@eventstore/db-client/generated/shared_pb';
import { RunningTimeout } from '../../../kernel/running-timeout';
import { type Endpoint, targetOf } from './connection-string';

/** What a node reports about another, or about itself. */
export type Member = Readonly<{ endpoint: Endpoint; isLeader: boolean; isAlive: boolean }>;

/** Rejects if the node does not answer in time. Each request has its own connection: an old one may be dead. */
export function askMembers(
  endpoint: Endpoint,
  credentials: ChannelCredentials,
  withinMs: number,
): Promise<readonly Member[]> {
  const sockets = new Sockets();
  const options = { 'grpc.use_local_subchannel_pool': 1 };
  const client = new GossipClient(targetOf(endpoint), sockets.watchedBy(credentials), options);
  return new Promise((resolve, reject) => {
    const call = client.read(new Empty(), new Metadata(), (error, info) => {
      timer.clear();
      client.close();
      sockets.end();
      if (error) return reject(error);
      resolve(info.getMembersList().flatMap(memberIn));
    });
    const timer = new RunningTimeout(() => call.cancel(), withinMs);
  });
}

/**
 * A client that is closed leaves its connection open until the first HTTP/2 frame arrives, which a silent node never
 * sends: asked every second of a long outage, it would use up the open files of this process.
 */
class Sockets {
  private readonly open: Socket[] = [];
  private hasEnded = false;

  watchedBy(credentials: ChannelCredentials): ChannelCredentials {
    const watched = Object.create(credentials) as ChannelCredentials;
    watched._createSecureConnector = (...asked) => {
      const connector = credentials._createSecureConnector(...asked);
      return {
        connect: (socket) => {
          this.open.push(socket);
          if (this.hasEnded) this.end();
          return connector.connect(socket);
        },
        waitForReady: () => connector.waitForReady(),
        getCallCredentials: () => connector.getCallCredentials(),
        destroy: () => connector.destroy(),
      };
    };
    return watched;
  }

  end(): void {
    this.hasEnded = true;
    for (const socket of this.open) socket.destroy();
  }
}

function memberIn(member: MemberInfo): Member[] {
  const endpoint = member.getHttpEndPoint();
  if (endpoint === undefined) return [];
  return [
    {
      endpoint: { address: endpoint.getAddress(), port: endpoint.getPort() },
      isLeader: member.getState() === MemberInfo.VNodeState.LEADER,
      isAlive: member.getIsAlive(),
    },
  ];
}
