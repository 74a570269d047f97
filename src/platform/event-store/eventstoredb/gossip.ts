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
  const client = new GossipClient(targetOf(endpoint), credentials, { 'grpc.use_local_subchannel_pool': 1 });
  return new Promise((resolve, reject) => {
    const call = client.read(new Empty(), new Metadata(), (error, info) => {
      timer.clear();
      client.close();
      if (error) return reject(error);
      resolve(info.getMembersList().flatMap(memberIn));
    });
    const timer = new RunningTimeout(() => call.cancel(), withinMs);
  });
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
