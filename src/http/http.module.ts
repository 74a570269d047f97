import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { AfterAnswer } from './after-answer';
import { AgentTokenGuard } from './guards/agent-token.guard';
import { ConnectionGuard } from './guards/connection.guard';
import { DeviceGuard } from './guards/device.guard';
import { ActiveMerchantGuard, SessionGuard } from './guards/session.guard';
import { ErrorFilter } from './error.filter';
import { HealthController } from './health.controller';
import { InputPipe } from './input.pipe';
import { Metrics } from './metrics';
import { OpenApiDocument } from './openapi';
import { OperationsController } from './operations.controller';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimiter } from './rate-limits';
import { RouteTable } from './route-table';

const guards = [DeviceGuard, SessionGuard, ActiveMerchantGuard, AgentTokenGuard, ConnectionGuard];

@Global()
@Module({
  controllers: [HealthController, OperationsController],
  providers: [
    AfterAnswer,
    Metrics,
    OpenApiDocument,
    RateLimiter,
    RateLimitGuard,
    RouteTable,
    ...guards,
    ErrorFilter,
    { provide: APP_FILTER, useExisting: ErrorFilter },
    { provide: APP_PIPE, useClass: InputPipe },
  ],
  exports: [AfterAnswer, Metrics, OpenApiDocument, RateLimiter, RateLimitGuard, RouteTable, ErrorFilter, ...guards],
})
export class HttpModule {}
