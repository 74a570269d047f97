import { randomUUID } from 'node:crypto';
import { intentInput, policyInput } from '../support/agent-payments';
import { newKeyPair, signAssertion } from '../support/agent-client';
import { SCOPES, TESTNET_FACTS } from '../support/agents';
import { issueConnectKey } from '../support/connections';
import { registerDevice } from '../support/devices';
import { grantFor, linkTokenFor } from '../support/merchant';
import { paymentInput } from '../support/payments';
import { type RunningService, type Stage } from './target';

/** Fields that override those of a generated body; null removes one. */
type Fields = Readonly<Record<string, unknown>>;

const HOUR_MS = 3_600_000;
const later = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();
const someone = (): string => `fuzz-${randomUUID()}@example.test`;

/**
 * What no schema can express: addresses with a valid checksum, ids of existing things, one-time credentials. With them
 * a generated call gets past field validation to the actual operation.
 */
export function workingBodies(
  service: Pick<RunningService, 'url' | 'dataDir'>,
  stage: Stage,
): Readonly<Record<string, () => Fields | Promise<Fields>>> {
  const facts = { ...TESTNET_FACTS, memo: null, contract: null, issuer: null };
  const scopes = { requested_scopes: SCOPES };
  return {
    'POST /v1/merchant-accounts/email-verifications': async () => ({ token: await linkTokenFor(service, someone()) }),
    'POST /v1/merchants': async () => ({ grant: (await grantFor(service, someone())).grant }),
    'POST /v1/merchant-sessions': async () => {
      const { grant, merchants } = await grantFor(service, stage.merchant.email);
      return { grant, choice: merchants[0]?.choice };
    },
    'POST /v1/merchant-domains': () => ({ domain: `fuzz-${randomUUID()}.example.test` }),
    'POST /v1/recipients': () => facts,
    'POST /v1/recipients/{id}/versions': () => facts,
    'POST /v1/recipients/{id}/verify': () => ({ source_id: stage.merchant.domainId }),
    'POST /v1/agents/{id}/credentials': () => ({
      kid: randomUUID(),
      public_key: newKeyPair().publicKey,
      not_before: later(0),
      expires_at: later(24),
    }),
    'POST /v1/agent-auth/token': () => {
      const { keyPair, kid, agentId } = stage.agent;
      return { assertion: signAssertion(keyPair, { kid, agentId, audience: `${service.url}/v1/agent-auth/token` }) };
    },
    'POST /v1/connect-invitations/claim': async () => ({
      ...scopes,
      connect_key: await issueConnectKey(service, await registerDevice(service)),
    }),
    'POST /v1/pairing/sessions': () => scopes,
    'POST /v1/payment-requests': () => ({ ...paymentInput(stage), expires_at: later(1), request_id: null }),
    'POST /v1/automation-policies': () => policyInput(stage),
    'POST /v1/agent-payments': () => ({ ...intentInput(stage), expires_at: later(1), asset: null, policy_id: null }),
  };
}
