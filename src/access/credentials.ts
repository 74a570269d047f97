import { type CanActivate, type Type } from '@nestjs/common';
import { type ErrorCode } from '../kernel/error-catalogue';
import { type JsonSchema } from '../http/input/checks';
import { AgentTokenGuard } from './agent-token.guard';
import { ApiKeyGuard } from './api-key.guard';
import { ClaimGuard } from './claim.guard';
import { AgentOrDeviceGuard, ClaimOrDeviceGuard } from './claim-or-device.guard';
import { ConnectionGuard } from './connection.guard';
import { DeviceGuard, RotatingDeviceGuard } from './device.guard';
import { ConnectionOrMerchantGuard, DeviceOrMerchantGuard, PartyGuard } from './party.guard';
import { AdminGuard, AdminOrDeviceGuard, ApiKeyOrAdminGuard, ProjectGuard } from './project.guard';
import { ActiveMerchantGuard, SessionGuard } from './session.guard';
import { type RateLimitName } from '../http/server/rate-limits';

export type Credential = Readonly<{
  guards: readonly Type<CanActivate>[];
  /** Any one of these security schemes of the OpenAPI document. */
  schemes: readonly string[];
  errors: readonly ErrorCode[];
  /** Credential fields that may be sent in the body. */
  bodyFields?: Readonly<Record<string, JsonSchema>>;
  limit: RateLimitName;
}>;

export const deviceFields = {
  device_id: { type: 'string', description: 'The wallet’s device id, unless sent as Authorization: Device' },
  token: { type: 'string', description: 'The wallet’s device token, unless sent as Authorization: Device' },
};

/** What can go wrong with each kind of token. */
const TOKEN_ERRORS = ['unauthenticated', 'invalid_token'] as const;
const SESSION_ERRORS = [...TOKEN_ERRORS, 'token_expired', 'csrf_failed'] as const;
const AGENT_ERRORS = [...TOKEN_ERRORS, 'token_expired', 'agent_not_active', 'credential_revoked'] as const;
const CONNECTION_ERRORS = [
  ...TOKEN_ERRORS,
  'connection_paused',
  'connection_revoked',
  'insufficient_scope',
  'agent_not_active',
  'credential_revoked',
] as const;
/** The claimant must still be able to claim. */
const CLAIM_ERRORS = [...TOKEN_ERRORS, 'agent_not_active', 'credential_revoked', 'credential_not_valid'] as const;

/** Who may call a route, which errors that adds, and how it is documented. */
export const credentials = {
  none: { guards: [], schemes: [], errors: [], limit: 'anonymous' },
  device: {
    guards: [DeviceGuard],
    schemes: ['device'],
    errors: TOKEN_ERRORS,
    bodyFields: deviceFields,
    limit: 'credential',
  },
  rotatingDevice: {
    guards: [RotatingDeviceGuard],
    schemes: ['device'],
    errors: TOKEN_ERRORS,
    bodyFields: deviceFields,
    limit: 'credential',
  },
  /** An operator's session, whatever the merchant's state. */
  session: {
    guards: [SessionGuard],
    schemes: ['session', 'session_token'],
    errors: SESSION_ERRORS,
    limit: 'credential',
  },
  /** An operator's session of a merchant with a verified domain. */
  merchant: {
    guards: [SessionGuard, ActiveMerchantGuard],
    schemes: ['session', 'session_token'],
    errors: [...SESSION_ERRORS, 'merchant_not_active'],
    limit: 'credential',
  },
  agent: {
    guards: [AgentTokenGuard],
    schemes: ['agent'],
    errors: AGENT_ERRORS,
    limit: 'credential',
  },
  /** The agent's token, or a wallet's device: for reads, where the device fields are sent in the query. */
  agentOrDevice: {
    guards: [AgentOrDeviceGuard],
    schemes: ['agent', 'device'],
    errors: AGENT_ERRORS,
    limit: 'credential',
  },
  claim: {
    guards: [ClaimGuard],
    schemes: ['claim'],
    errors: CLAIM_ERRORS,
    limit: 'credential',
  },
  /** The claim token, or a wallet's device: for reads, where the device fields are sent in the query. */
  claimOrDevice: {
    guards: [ClaimOrDeviceGuard],
    schemes: ['claim', 'device'],
    errors: CLAIM_ERRORS,
    limit: 'credential',
  },
  connection: {
    guards: [ConnectionGuard],
    schemes: ['connection'],
    errors: CONNECTION_ERRORS,
    limit: 'credential',
  },
  /** The agent's connection token, or an operator's session. */
  connectionOrMerchant: {
    guards: [ConnectionOrMerchantGuard],
    schemes: ['connection', 'session', 'session_token'],
    errors: [...CONNECTION_ERRORS, 'token_expired', 'csrf_failed', 'merchant_not_active'],
    limit: 'credential',
  },
  /** The wallet's device, the merchant's session, or the connection's own token: for changes. */
  anyParty: {
    guards: [PartyGuard],
    schemes: ['device', 'session', 'session_token', 'connection'],
    errors: [...CONNECTION_ERRORS, 'token_expired', 'csrf_failed', 'merchant_not_active'],
    bodyFields: deviceFields,
    limit: 'credential',
  },
  /** The agent's connection token, the wallet's device, or the merchant's session: for reads that concern all three. */
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
      'credential_revoked',
      'merchant_not_active',
    ],
    limit: 'credential',
  },
  /** A wallet's device, or an operator's session: for reads. */
  deviceOrMerchant: {
    guards: [DeviceOrMerchantGuard],
    schemes: ['device', 'session', 'session_token'],
    errors: ['unauthenticated', 'invalid_token', 'token_expired', 'merchant_not_active'],
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
    errors: [...SESSION_ERRORS, 'merchant_not_active'],
    limit: 'credential',
  },
  /** A project API key, or an operator's session there. */
  apiKeyOrAdmin: {
    guards: [ApiKeyOrAdminGuard],
    schemes: ['api_key', 'session', 'session_token'],
    errors: [...SESSION_ERRORS, 'merchant_not_active'],
    limit: 'credential',
  },
  /** An operator's session there, or the wallet concerned. */
  adminOrDevice: {
    guards: [AdminOrDeviceGuard],
    schemes: ['session', 'session_token', 'device'],
    errors: [...SESSION_ERRORS, 'merchant_not_active'],
    bodyFields: deviceFields,
    limit: 'credential',
  },
  /** A project API key, an operator's session, or the wallet concerned: for reads. */
  project: {
    guards: [ProjectGuard],
    schemes: ['api_key', 'session', 'session_token', 'device'],
    errors: ['unauthenticated', 'invalid_token', 'token_expired', 'merchant_not_active'],
    limit: 'credential',
  },
} as const satisfies Record<string, Credential>;
