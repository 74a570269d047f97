import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config';
import { createResolver } from '../../platform/egress/resolver';
import { HorizonWitness } from './horizon-witness';
import { SettlementChecksController } from './settlement-checks.controller';
import { SettlementWatcher } from './settlement-watcher';
import { SETTLEMENT_WITNESSES, type SettlementWitnesses } from './witness.port';

/** For one request as a whole: a slower server is queried again later. */
const TIMEOUT_MS = 10_000;

/** Both Stellar networks use Horizon; another network needs an adapter of its own. */
function witnesses({ settlementWitnesses, dnsServers, allowPrivateNetworks, baseUrl }: Config): SettlementWitnesses {
  const resolver = createResolver({ servers: dnsServers, timeoutMs: TIMEOUT_MS });
  const policy = { allowPrivateNetworks, ownHosts: [new URL(baseUrl).hostname] };
  return new Map(
    settlementWitnesses.map(({ network, url }) => [
      network,
      new HorizonWitness({ url, resolver, policy, timeoutMs: TIMEOUT_MS }),
    ]),
  );
}

@Module({
  controllers: [SettlementChecksController],
  providers: [SettlementWatcher, { provide: SETTLEMENT_WITNESSES, inject: [CONFIG], useFactory: witnesses }],
})
export class SettlementModule {}
