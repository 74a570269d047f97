import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { CONFIG, type Config } from './config';
import { EventStoreModule } from './event-store/event-store.module';
import { HttpModule } from './http/http.module';
import { LOGGER } from './http/logger';
import { CLOCK, type Clock } from './kernel/clock';
import { ReadModelModule } from './read-model/read-model.module';
import { DerivedTokens } from './secrets/derived-tokens';
import { ServiceSecret, serviceSecretIn } from './secrets/service-secret';
import { WalletDevicesModule } from './wallet-devices/wallet-devices.module';

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
    ];
    return {
      module: AppModule,
      providers: outside,
      exports: outside,
      imports: [CqrsModule.forRoot(), EventStoreModule, ReadModelModule, HttpModule, WalletDevicesModule],
    };
  }
}
