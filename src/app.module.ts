import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { AgentAuthModule } from './agent-auth/agent-auth.module';
import { AgentPaymentsModule } from './agent-payments/agent-payments.module';
import { AgentsModule } from './agents/agents.module';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { AuditModule } from './audit/audit.module';
import { AutomationPoliciesModule } from './automation-policies/automation-policies.module';
import { CONFIG, type Config } from './config';
import { ConnectModule } from './connect/connect.module';
import { ConnectionsModule } from './connections/connections.module';
import { EventStoreModule } from './event-store/event-store.module';
import { HttpModule } from './http/http.module';
import { LOGGER } from './http/logger';
import { CLOCK, type Clock } from './kernel/clock';
import { MerchantAccessModule } from './merchant-access/merchant-access.module';
import { MerchantsModule } from './merchants/merchants.module';
import { PairingModule } from './pairing/pairing.module';
import { PaymentRequestsModule } from './payment-requests/payment-requests.module';
import { ReadModelModule } from './read-model/read-model.module';
import { RecipientsModule } from './recipients/recipients.module';
import { DerivedTokens } from './secrets/derived-tokens';
import { PersonalData } from './secrets/personal-data';
import { ServiceSecret, serviceSecretIn } from './secrets/service-secret';
import { TransactionContextsModule } from './transaction-contexts/transaction-contexts.module';
import { WalletDevicesModule } from './wallet-devices/wallet-devices.module';
import { WebModule } from './web/web.module';
import { WebhooksModule } from './webhooks/webhooks.module';

/** What arrives from outside: configuration, time, and where to log. */
export type Surroundings = Readonly<{ config: Config; clock: Clock; logger: Logger }>;

@Global()
@Module({})
export class AppModule {
  static with({ config, clock, logger }: Surroundings): DynamicModule {
    const outside = [
      { provide: CONFIG, useValue: config },
      { provide: CLOCK, useValue: clock },
      { provide: LOGGER, useValue: logger },
      {
        provide: ServiceSecret,
        useFactory: () => new ServiceSecret(config.serviceSecret ?? serviceSecretIn(config.dataDir)),
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
        // The router tries routes in this order: the busiest come first.
        PaymentRequestsModule,
        WalletDevicesModule,
        MerchantAccessModule,
        MerchantsModule,
        RecipientsModule,
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
        AuditModule,
        WebModule,
      ],
    };
  }
}
