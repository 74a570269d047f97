import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { AfterAnswer } from './after-answer';
import { Draining } from './draining';
import { CallCounter } from './call-counter';
import { AgentEnvelope } from './agent-envelope.interceptor';
import { AgentTokenGuard } from './guards/agent-token.guard';
import { ApiKeyGuard } from './guards/api-key.guard';
import { ClaimGuard } from './guards/claim.guard';
import { AgentOrDeviceGuard, ClaimOrDeviceGuard } from './guards/claim-or-device.guard';
import { ConnectionOrDeviceGuard } from './guards/connection-or-device.guard';
import { ConnectionStandings } from './guards/connection-standing';
import { ConnectionTokens } from './guards/connection-tokens';
import { ConnectionGuard } from './guards/connection.guard';
import { CsrfProofs } from './guards/csrf-proofs';
import { DeviceGuard } from './guards/device.guard';
import { PartyGuard } from './guards/party.guard';
import { AdminGuard, ProjectGuard } from './guards/project.guard';
import { SessionCookie } from './guards/session-cookie';
import { ActiveMerchantGuard, SessionGuard } from './guards/session.guard';
import { TestnetOnlyGuard } from './guards/testnet-only.guard';
import { ErrorFilter } from './error.filter';
import { HealthController } from './health.controller';
import { InputPipe } from './input.pipe';
import { Metrics } from './metrics';
import { OpenApiDocument } from './openapi';
import { OperationsController } from './operations.controller';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimiter } from './rate-limits';
import { RouteTable } from './route-table';

const guards = [
  DeviceGuard,
  SessionGuard,
  ActiveMerchantGuard,
  AgentTokenGuard,
  ClaimGuard,
  ClaimOrDeviceGuard,
  AgentOrDeviceGuard,
  ConnectionGuard,
  ConnectionOrDeviceGuard,
  PartyGuard,
  ApiKeyGuard,
  AdminGuard,
  ProjectGuard,
  TestnetOnlyGuard,
];

@Global()
@Module({
  controllers: [HealthController, OperationsController],
  providers: [
    AfterAnswer,
    AgentEnvelope,
    CallCounter,
    Draining,
    Metrics,
    OpenApiDocument,
    RateLimiter,
    RateLimitGuard,
    RouteTable,
    SessionCookie,
    CsrfProofs,
    ConnectionStandings,
    ConnectionTokens,
    ...guards,
    ErrorFilter,
    { provide: APP_FILTER, useExisting: ErrorFilter },
    { provide: APP_PIPE, useClass: InputPipe },
  ],
  exports: [
    AfterAnswer,
    AgentEnvelope,
    CallCounter,
    Draining,
    Metrics,
    OpenApiDocument,
    RateLimiter,
    RateLimitGuard,
    RouteTable,
    ErrorFilter,
    SessionCookie,
    CsrfProofs,
    ConnectionStandings,
    ConnectionTokens,
    ...guards,
  ],
})
export class HttpModule {}
