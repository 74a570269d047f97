import { applyDecorators, type CanActivate, HttpCode, type Type, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiResponse, ApiSecurity } from '@nestjs/swagger';
import { type ErrorCode, statusOf } from '../kernel/error-catalogue';
import { AgentEnvelope } from './agent-envelope.interceptor';
import { type JsonSchema } from './checks';
import { fieldsOf, schemaOf } from './field.decorator';
import { AgentTokenGuard } from './guards/agent-token.guard';
import { ApiKeyGuard } from './guards/api-key.guard';
import { ClaimGuard } from './guards/claim.guard';
import { AgentOrDeviceGuard, ClaimOrDeviceGuard } from './guards/claim-or-device.guard';
import { ConnectionOrDeviceGuard } from './guards/connection-or-device.guard';
import { ConnectionGuard, NeedsScope, type Scope } from './guards/connection.guard';
import { DeviceGuard } from './guards/device.guard';
import { PartyGuard } from './guards/party.guard';
import { AdminGuard, ProjectGuard } from './guards/project.guard';
import { ActiveMerchantGuard, SessionGuard } from './guards/session.guard';
import { TestnetOnlyGuard } from './guards/testnet-only.guard';
import { RateLimit, RateLimitGuard } from './rate-limit.guard';
import { type RateLimitName } from './rate-limits';

type Credential = Readonly<{
  guards: readonly Type<CanActivate>[];
  /** Any one of these security schemes of the OpenAPI document. */
  schemes: readonly string[];
  errors: readonly ErrorCode[];
  /** Credential fields that may travel in the body. */
  bodyFields?: Readonly<Record<string, JsonSchema>>;
  limit: RateLimitName;
}>;

const deviceFields = {
  device_id: { type: 'string', description: 'The wallet’s device id, unless sent as Authorization: Device' },
  token: { type: 'string', description: 'The wallet’s device token, unless sent as Authorization: Device' },
};

/** Who may call a route, what that costs in errors, and how it is written down. */
const credentials = {
  none: { guards: [], schemes: [], errors: [], limit: 'anonymous' },
  device: {
    guards: [DeviceGuard],
    schemes: ['device'],
    errors: ['unauthenticated', 'invalid_token'],
    bodyFields: deviceFields,
    limit: 'credential',
  },
  /** An operator's session, whatever the merchant's state. */
  session: {
    guards: [SessionGuard],
    schemes: ['session', 'session_token'],
    errors: ['unauthenticated', 'invalid_token', 'token_expired', 'csrf_failed'],
    limit: 'credential',
  },
  /** An operator's session of a merchant with a verified domain. */
  merchant: {
    guards: [SessionGuard, ActiveMerchantGuard],
    schemes: ['session', 'session_token'],
    errors: ['unauthenticated', 'invalid_token', 'token_expired', 'csrf_failed', 'merchant_not_active'],
    limit: 'credential',
  },
  agent: {
    guards: [AgentTokenGuard],
    schemes: ['agent'],
    errors: ['unauthenticated', 'invalid_token', 'token_expired', 'agent_not_active', 'credential_revoked'],
    limit: 'credential',
  },
  /** The agent's token, or a wallet's device: for reads, where the device fields travel in the query. */
  agentOrDevice: {
    guards: [AgentOrDeviceGuard],
    schemes: ['agent', 'device'],
    errors: ['unauthenticated', 'invalid_token', 'token_expired', 'agent_not_active', 'credential_revoked'],
    limit: 'credential',
  },
  claim: {
    guards: [ClaimGuard],
    schemes: ['claim'],
    errors: ['unauthenticated', 'invalid_token'],
    limit: 'credential',
  },
  /** The claim token, or a wallet's device: for reads, where the device fields travel in the query. */
  claimOrDevice: {
    guards: [ClaimOrDeviceGuard],
    schemes: ['claim', 'device'],
    errors: ['unauthenticated', 'invalid_token'],
    limit: 'credential',
  },
  connection: {
    guards: [ConnectionGuard],
    schemes: ['connection'],
    errors: [
      'unauthenticated',
      'invalid_token',
      'connection_paused',
      'connection_revoked',
      'insufficient_scope',
      'agent_not_active',
    ],
    limit: 'credential',
  },
  /** The connection token, or the wallet's device: for reads, where the device fields travel in the query. */
  connectionOrDevice: {
    guards: [ConnectionOrDeviceGuard],
    schemes: ['connection', 'device'],
    errors: [
      'unauthenticated',
      'invalid_token',
      'connection_paused',
      'connection_revoked',
      'insufficient_scope',
      'agent_not_active',
    ],
    limit: 'credential',
  },
  /** The agent's connection token, the wallet's device, or the merchant's session: for reads of what concerns all three. */
  party: {
    guards: [PartyGuard],
    schemes: ['connection', 'device', 'session', 'session_token'],
    errors: [
      'unauthenticated',
      'invalid_token',
      'token_expired',
      'connection_paused',
      'connection_revoked',
      'insufficient_scope',
      'agent_not_active',
      'merchant_not_active',
    ],
    limit: 'credential',
  },
  apiKey: {
    guards: [ApiKeyGuard],
    schemes: ['api_key'],
    errors: ['unauthenticated', 'invalid_token', 'merchant_not_active'],
    limit: 'credential',
  },
  /** An operator's session on the agent-payment surface. */
  admin: {
    guards: [AdminGuard],
    schemes: ['session', 'session_token'],
    errors: ['unauthenticated', 'invalid_token', 'token_expired', 'csrf_failed', 'merchant_not_active'],
    limit: 'credential',
  },
  /** A project API key, an operator's session, or the wallet that is concerned: for reads. */
  project: {
    guards: [ProjectGuard],
    schemes: ['api_key', 'session', 'session_token', 'device'],
    errors: ['unauthenticated', 'invalid_token', 'token_expired', 'merchant_not_active'],
    limit: 'credential',
  },
} as const satisfies Record<string, Credential>;

export type EndpointParts = Readonly<{
  summary: string;
  description?: string;
  credential: keyof typeof credentials;
  /** What a connection must have been granted. */
  scope?: Scope;
  status?: 200 | 201 | 202;
  /** `agent`: the older surface, with its own envelope (the answer is `data`) and test networks only. */
  surface?: 'agent';
  /** The named parts of the answer beside `ok`. */
  answer: Readonly<Record<string, JsonSchema>>;
  /** Parts of the answer that are there in some cases only. */
  optional?: Readonly<Record<string, JsonSchema>>;
  body?: Type<unknown>;
  query?: Type<unknown>;
  errors?: readonly ErrorCode[];
  /** Off only for what monitors ask often. */
  limited?: boolean;
  /** A limit of its own, where a call costs more than others of its credential. */
  limit?: RateLimitName;
}>;

/** Errors any route may answer with. */
const COMMON: readonly ErrorCode[] = ['resource_not_found', 'internal_error', 'store_unavailable'];
const WITH_BODY: readonly ErrorCode[] = [
  'validation_failed',
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
];

const SURFACE: readonly ErrorCode[] = ['phase_0_mainnet_disabled', 'validation_failed'];

/** Everything about a route but its path: guards, limits, status, and its whole entry in the OpenAPI document. */
export function Endpoint(parts: EndpointParts): MethodDecorator {
  const credential: Credential = credentials[parts.credential];
  const limited = parts.limited ?? true;
  const isAgentSurface = parts.surface === 'agent';
  const errors = new Set<ErrorCode>([
    ...COMMON,
    ...credential.errors,
    ...(limited ? (['rate_limited'] as const) : []),
    ...(isAgentSurface ? SURFACE : []),
    ...(parts.body ? WITH_BODY : parts.query ? (['validation_failed'] as const) : []),
    ...(parts.errors ?? []),
  ]);
  return applyDecorators(
    HttpCode(parts.status ?? 200),
    UseGuards(
      ...credential.guards,
      ...(isAgentSurface ? [TestnetOnlyGuard] : []),
      ...(limited ? [RateLimitGuard] : []),
    ),
    ...(isAgentSurface ? [UseInterceptors(AgentEnvelope)] : []),
    ...(limited ? [RateLimit(parts.limit ?? credential.limit)] : []),
    ApiOperation({ summary: parts.summary, ...(parts.description ? { description: parts.description } : {}) }),
    ...(parts.scope ? [NeedsScope(parts.scope)] : []),
    ...credential.schemes.map((scheme) => ApiSecurity(scheme)),
    ...(parts.body ? [ApiBody({ schema: bodySchema(parts.body, credential), required: true })] : []),
    ...(parts.query ? queryDecorators(parts.query) : []),
    ApiResponse({
      status: parts.status ?? 200,
      description: 'Done.',
      schema: isAgentSurface ? agentSuccessSchema(parts.answer) : successSchema(parts.answer, parts.optional),
    }),
    ...errorDecorators([...errors], isAgentSurface ? 'AgentFailure' : 'Failure'),
  );
}

function bodySchema(body: Type<unknown>, credential: Credential): JsonSchema {
  const schema = schemaOf(body);
  if (credential.bodyFields === undefined) return schema;
  return { ...schema, properties: { ...(schema['properties'] as object), ...credential.bodyFields } };
}

const queryDecorators = (query: Type<unknown>): MethodDecorator[] =>
  Object.entries(fieldsOf(query)).map(([name, { check, optional }]) =>
    ApiQuery({ name, required: !optional, schema: check.schema }),
  );

const successSchema = (answer: EndpointParts['answer'], optional: EndpointParts['optional']): JsonSchema => ({
  type: 'object',
  properties: { ok: { type: 'boolean', const: true }, ...answer, ...optional },
  required: ['ok', ...Object.keys(answer)],
});

const agentSuccessSchema = (answer: EndpointParts['answer']): JsonSchema => ({
  type: 'object',
  properties: {
    success: { type: 'boolean', const: true },
    ...answer,
    request_id: { type: 'string' },
    timestamp: { type: 'string', format: 'date-time' },
  },
  required: ['success', ...Object.keys(answer), 'request_id', 'timestamp'],
});

/** One response per status, naming the codes it may carry. */
function errorDecorators(codes: readonly ErrorCode[], failure: 'Failure' | 'AgentFailure'): MethodDecorator[] {
  return [...new Set(codes.map(statusOf))].map((status) => {
    const ofStatus = codes.filter((code) => statusOf(code) === status);
    return ApiResponse({
      status,
      description: ofStatus.join(', '),
      schema: {
        allOf: [{ $ref: `#/components/schemas/${failure}` }],
        properties: { error: { type: 'object', properties: { code: { type: 'string', enum: ofStatus } } } },
      },
    });
  });
}
