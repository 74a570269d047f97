import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { AfterAnswer } from '../http/server/after-answer';
import { Draining } from '../http/server/draining';
import { CallCounter } from '../http/server/call-counter';
import { AgentEnvelope } from '../http/server/agent-envelope.interceptor';
import { AgentTokenGuard } from '../access/agent-token.guard';
import { ApiKeyGuard } from '../access/api-key.guard';
import { ClaimGuard } from '../access/claim.guard';
import { AgentOrDeviceGuard, ClaimOrDeviceGuard } from '../access/claim-or-device.guard';
import { ConnectionOrDeviceGuard } from '../access/connection-or-device.guard';
import { ConnectionStandings } from '../access/connection-standing';
import { ConnectionTokens } from '../access/connection-tokens';
import { ConnectionGuard } from '../access/connection.guard';
import { CsrfProofs } from '../access/csrf-proofs';
import { DeviceGuard, RotatingDeviceGuard } from '../access/device.guard';
import { ConnectionOrMerchantGuard, DeviceOrMerchantGuard, PartyGuard } from '../access/party.guard';
import { AdminGuard, AdminOrDeviceGuard, ApiKeyOrAdminGuard, ProjectGuard } from '../access/project.guard';
import { SessionCookie } from '../access/session-cookie';
import { ForgottenPeople } from '../access/forgotten-people';
import { ActiveMerchantGuard, SessionGuard } from '../access/session.guard';
import { TestnetOnlyGuard } from '../access/testnet-only.guard';
import { ErrorFilter } from '../http/server/error.filter';
import { EventStream } from '../http/feeds/event-stream';
import { FEED_READERS } from '../http/feeds/feed';
import { FeedAnswers } from '../http/feeds/feed-answers';
import { LongPolls } from '../http/feeds/long-polls';
import { NewsBell } from '../http/feeds/news-bell';
import { SharedPages } from '../http/feeds/shared-pages';
import { HealthController } from './operations/health.controller';
import { InputPipe } from '../http/input/input.pipe';
import { Metrics } from '../http/operations/metrics';
import { OpenApiDocument } from './openapi/openapi';
import { OperationsController } from './operations/operations.controller';
import { QuotaGuard } from '../http/server/quota.guard';
import { RateLimitGuard } from '../http/server/rate-limit.guard';
import { RateLimiter } from '../http/server/rate-limits';
import { RouteTable } from '../http/server/route-table';

const feeds = [
  NewsBell,
  SharedPages,
  LongPolls,
  EventStream,
  FeedAnswers,
  { provide: FEED_READERS, useExisting: FeedAnswers },
];

const guards = [
  DeviceGuard,
  RotatingDeviceGuard,
  SessionGuard,
  ForgottenPeople,
  ActiveMerchantGuard,
  AgentTokenGuard,
  ClaimGuard,
  ClaimOrDeviceGuard,
  AgentOrDeviceGuard,
  ConnectionGuard,
  ConnectionOrDeviceGuard,
  PartyGuard,
  ConnectionOrMerchantGuard,
  ApiKeyOrAdminGuard,
  DeviceOrMerchantGuard,
  ApiKeyGuard,
  AdminGuard,
  AdminOrDeviceGuard,
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
    QuotaGuard,
    RouteTable,
    SessionCookie,
    CsrfProofs,
    ConnectionStandings,
    ConnectionTokens,
    ...guards,
    ...feeds,
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
    QuotaGuard,
    RouteTable,
    ErrorFilter,
    SessionCookie,
    CsrfProofs,
    ConnectionStandings,
    ConnectionTokens,
    ...guards,
    ...feeds,
  ],
})
export class HttpModule {}
