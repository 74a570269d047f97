import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { AgentAuthModule } from '../capabilities/agent-auth/agent-auth.module';
import { AgentPaymentsModule } from '../capabilities/agent-payments/agent-payments.module';
import { AgentsModule } from '../capabilities/agents/agents.module';
import { ApiKeysModule } from '../capabilities/api-keys/api-keys.module';
import { AuditModule } from '../audit/audit.module';
import { AutomationPoliciesModule } from '../capabilities/automation-policies/automation-policies.module';
import { CONFIG, type Config } from '../platform/config';
import { ConnectModule } from '../capabilities/connect/connect.module';
import { ConnectionsModule } from '../capabilities/connections/connections.module';
import { EventStoreModule, OPEN_EVENT_STORE } from '../platform/event-store/event-store.module';
import { type EventStore } from '../platform/event-store/event-store.port';
import { openEventStore } from '../platform/event-store/open-event-store';
import { HttpModule } from '../api/http.module';
import { LOGGER } from '../platform/logging/logger';
import { CLOCK, type Clock } from '../kernel/clock';
import { MerchantAccessModule } from '../capabilities/merchant-access/merchant-access.module';
import { MerchantsModule } from '../capabilities/merchants/merchants.module';
import { NetworksModule } from '../capabilities/networks/networks.module';
import { PairingModule } from '../capabilities/pairing/pairing.module';
import { PaymentRequestsModule } from '../capabilities/payment-requests/payment-requests.module';
import { projections } from '../../projections';
import { PROJECTIONS } from '../platform/read-model/projection';
import { ReadModelModule } from '../platform/read-model/read-model.module';
import { RecipientsModule } from '../capabilities/recipients/recipients.module';
import { DerivedTokens } from '../platform/secrets/derived-tokens';
import { PersonalData } from '../platform/secrets/personal-data';
import { serviceSecretIn } from '../platform/secrets/secret-file';
import { ServiceSecret } from '../platform/secrets/service-secret';
import { SettlementModule } from '../capabilities/settlement/settlement.module';
import { ONLY_THREAD, type Thread, THREAD } from '../platform/threads/thread-link';
import { TransactionContextsModule } from '../capabilities/transaction-contexts/transaction-contexts.module';
import { WalletDevicesModule } from '../capabilities/wallet-devices/wallet-devices.module';
import { type ServerLimits } from '../http/server/http-server';
import { WebModule } from '../web/web.module';
import { WebhooksModule } from '../capabilities/webhooks/webhooks.module';

/** What is passed in from outside, such as configuration, clock and logger. */
export type StartOptions = Readonly<{
  config: Config;
  clock: Clock;
  logger: Logger;
  thread?: Thread;
  /** If opening it has begun already. */
  eventStore?: Promise<EventStore>;
  /** Timeouts that differ from the defaults. */
  serverLimits?: Partial<ServerLimits>;
}>;

@Global()
@Module({})
export class AppModule {
  static with({ config, clock, logger, thread = ONLY_THREAD, eventStore }: StartOptions): DynamicModule {
    const outside = [
      { provide: CONFIG, useValue: config },
      { provide: CLOCK, useValue: clock },
      { provide: PROJECTIONS, useValue: projections },
      { provide: LOGGER, useValue: logger },
      { provide: THREAD, useValue: thread },
      { provide: OPEN_EVENT_STORE, useValue: () => eventStore ?? openEventStore(config, thread) },
      {
        provide: ServiceSecret,
        useFactory: () => ServiceSecret.pendingHistory(config.serviceSecret ?? serviceSecretIn(config.dataDir)),
      },
      DerivedTokens,
      PersonalData,
    ];
    return {
      module: AppModule,
      providers: outside,
      exports: outside,
      imports: [
        CqrsModule.forRoot(),
        EventStoreModule,
        ReadModelModule,
        HttpModule,
        // The router tries routes in this order, so the busiest come first.
        PaymentRequestsModule,
        WalletDevicesModule,
        MerchantAccessModule,
        MerchantsModule,
        RecipientsModule,
        NetworksModule,
        AgentsModule,
        AgentAuthModule,
        ConnectModule,
        PairingModule,
        ConnectionsModule,
        TransactionContextsModule,
        ApiKeysModule,
        AutomationPoliciesModule,
        AgentPaymentsModule,
        WebhooksModule,
        SettlementModule,
        AuditModule,
        WebModule,
      ],
    };
  }
}
