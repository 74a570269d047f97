import { refuse } from './errors';
import { type AgentId, type CredentialId, type MerchantId } from './aggregates';

/** Who asks for a connection, as the person will see it. */
export type Asker = Readonly<{
  agentId: AgentId;
  agentName: string;
  credentialId: CredentialId;
  merchantId: MerchantId;
  merchantName: string;
  merchantDomain: string;
}>;

/** The same in the form of event data. */
export const askerFacts = (asker: Asker) => ({
  agent_id: asker.agentId,
  agent_name: asker.agentName,
  credential_id: asker.credentialId,
  merchant_id: asker.merchantId,
  merchant_name: asker.merchantName,
  merchant_domain: asker.merchantDomain,
});

/** What the person grants: everything requested if `chosen` is null, and nothing beyond it. */
export function grantedScopes(chosen: readonly string[] | null, requested: readonly string[]): readonly string[] {
  const scopes = chosen ?? requested;
  const beyond = scopes.filter((scope) => !requested.includes(scope));
  if (beyond.length > 0) throw refuse('scope_not_allowed', { details: { scopes: beyond } });
  return scopes;
}

/** In any order. */
export const sameScopes = (one: readonly string[] | undefined, other: readonly string[]): boolean =>
  one !== undefined && one.length === other.length && one.every((scope) => other.includes(scope));

export const refuseMove = ({ status }: Readonly<{ status: string }>) =>
  refuse('invalid_status_transition', { details: { current_status: status } });
