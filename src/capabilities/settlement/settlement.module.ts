import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config';
import { createResolver } from '../../platform/egress/resolver';
import { HorizonWitness } from './horizon-witness';
import { NetworkServer } from './network-server';
import { RpcWitness } from './rpc-witness';
import { AgentPaymentChecksController, SettlementChecksController } from './settlement-checks.controller';
import { SettlementJudge } from './settlement-judge';
import { SettlementWatcher } from './settlement-watcher';
import { PASSPHRASES } from './stellar-library';
import { SETTLEMENT_WITNESSES, type SettlementWitnesses } from './witness.port';

/** For one request as a whole: a slower server is queried again later. */
const TIMEOUT_MS = 10_000;

/** Both Stellar networks have servers of both kinds; another network needs an adapter of its own. */
function witnesses({ settlementWitnesses, dnsServers, allowPrivateNetworks, baseUrl }: Config): SettlementWitnesses {
  const resolver = createResolver({ servers: dnsServers, timeoutMs: TIMEOUT_MS });
  const policy = { allowPrivateNetworks, ownHosts: [new URL(baseUrl).hostname] };
  return new Map(
    settlementWitnesses.map(({ network, kind, url }) => {
      const server = new NetworkServer({ url, resolver, policy, timeoutMs: TIMEOUT_MS });
      const passphrase = PASSPHRASES[network] ?? '';
      return [
        network,
        kind === 'rpc' ? new RpcWitness(server, passphrase) : new HorizonWitness(server, passphrase),
      ] as const;
    }),
  );
}

@Module({
  controllers: [SettlementChecksController, AgentPaymentChecksController],
  providers: [
    SettlementJudge,
    SettlementWatcher,
    { provide: SETTLEMENT_WITNESSES, inject: [CONFIG], useFactory: witnesses },
  ],
})
export class SettlementModule {}
